"use client";
import { useMutation } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { ConfirmDialog } from "@/app/_ui/confirm-dialog";
import { Switch } from "@/app/_ui/switch";
import { notify } from "@/app/_ui/toast";
import { useFailureText } from "../_query/use-failure-text";
import { useRefresh } from "../_query/use-refresh";
import type { ScheduleView } from "./views";

interface ScheduleSwitchProps {
  projectId: string;
  schedule: ScheduleView;
  /** Whoever may not switch it sees how it stands. */
  may: boolean;
}

/** Switches a schedule; asks first, and says what becomes of fires that are missed meanwhile. */
export function ScheduleSwitch({ projectId, schedule, may }: ScheduleSwitchProps) {
  const t = useTranslations("schedules");
  const [asking, setAsking] = useState(false);
  return (
    <>
      <Switch
        name={t("list.toggle", { schedule: schedule.name, pipeline: schedule.pipeline.title })}
        checked={schedule.enabled}
        disabled={!may}
        onChecked={() => setAsking(true)}
      />
      {asking ? <ToggleDialog projectId={projectId} schedule={schedule} onClose={() => setAsking(false)} /> : null}
    </>
  );
}

function ToggleDialog({ projectId, schedule, onClose }: Omit<ScheduleSwitchProps, "may"> & { onClose: () => void }) {
  const t = useTranslations("schedules");
  const trpc = useTRPC();
  const text = useFailureText();
  const refresh = useRefresh();
  const on = !schedule.enabled;
  const name = `${schedule.pipeline.title} · ${schedule.name}`;
  const toggle = useMutation(
    trpc.schedules.toggle.mutationOptions({
      onSuccess: () => {
        refresh();
        onClose();
        notify({ title: t(on ? "toggle.doneOn" : "toggle.doneOff", { schedule: name }) });
      },
    }),
  );
  return (
    <ConfirmDialog
      open
      onOpen={(open) => {
        if (!open) onClose();
      }}
      title={t(on ? "toggle.on" : "toggle.off", { schedule: name })}
      verb={t(on ? "toggle.verbOn" : "toggle.verbOff")}
      reason="optional"
      busy={toggle.isPending}
      error={toggle.error ? text(toggle.error) : undefined}
      onConfirm={(reason) => toggle.mutate({ projectId, scheduleId: schedule.id, enabled: on, ...(reason === "" ? {} : { reason }) })}
    >
      {on ? t("toggle.onBody", { policy: t(`misfire.${schedule.misfire}`) }) : t("toggle.offBody")}
    </ConfirmDialog>
  );
}
