"use client";
import { useMutation } from "@tanstack/react-query";
import { X } from "lucide-react";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import { ConfirmDialog } from "@/app/_ui/confirm-dialog";
import { Progress } from "@/app/_ui/progress";
import { notify } from "@/app/_ui/toast";
import { useFailureText } from "../../_query/use-failure-text";
import { useRefresh } from "../../_query/use-refresh";
import type { ScheduleView } from "../../_schedules/views";

interface BulkToggleProps {
  projectId: string;
  chosen: readonly ScheduleView[];
  onClear: () => void;
}

/** What can be done with all that is chosen at once, with its exact number. */
export function BulkToggle({ projectId, chosen, onClear }: BulkToggleProps) {
  const t = useTranslations("schedules.bulk");
  const ui = useTranslations("ui");
  const [asking, setAsking] = useState<boolean | null>(null);
  const affected = (on: boolean) => chosen.filter(({ enabled }) => enabled !== on);
  return (
    <section aria-label={t("label")} className="flex flex-wrap items-center gap-2">
      <span className="text-table tabular-nums">{ui("selected", { n: chosen.length })}</span>
      <Button size="sm" disabled={affected(true).length === 0} onClick={() => setAsking(true)}>
        {t("on", { n: affected(true).length })}
      </Button>
      <Button size="sm" disabled={affected(false).length === 0} onClick={() => setAsking(false)}>
        {t("off", { n: affected(false).length })}
      </Button>
      <Button size="sm" look="quiet" onClick={onClear}>
        <X size={13} aria-hidden="true" />
        {ui("clear")}
      </Button>
      {asking === null ? null : (
        <BulkDialog projectId={projectId} on={asking} schedules={affected(asking)} onClose={() => setAsking(null)} onDone={onClear} />
      )}
    </section>
  );
}

interface BulkDialogProps {
  projectId: string;
  on: boolean;
  schedules: readonly ScheduleView[];
  onClose: () => void;
  onDone: () => void;
}

/** One after the other, each with its audit row; where one is refused the rest stay as they are and it says which. */
function BulkDialog({ projectId, on, schedules, onClose, onDone }: BulkDialogProps) {
  const t = useTranslations("schedules.bulk");
  const trpc = useTRPC();
  const text = useFailureText();
  const refresh = useRefresh();
  const [all] = useState(schedules);
  const [done, setDone] = useState<readonly string[]>([]);
  const toggle = useMutation(trpc.schedules.toggle.mutationOptions());
  const next = all.find(({ id }) => !done.includes(id));
  const every = useMutation({
    mutationFn: async (reason: string) => {
      let settled = done;
      for (const { id } of all.filter((schedule) => !done.includes(schedule.id))) {
        await toggle.mutateAsync({ projectId, scheduleId: id, enabled: on, ...(reason === "" ? {} : { reason }) });
        settled = [...settled, id];
        setDone(settled);
      }
    },
    onSettled: refresh,
    onSuccess: () => {
      onClose();
      onDone();
      notify({ title: t(on ? "doneOn" : "doneOff", { n: all.length }) });
    },
  });
  return (
    <ConfirmDialog
      open
      onOpen={(open) => {
        if (!open && !every.isPending) onClose();
      }}
      title={t(on ? "titleOn" : "titleOff", { n: all.length })}
      verb={t(on ? "verbOn" : "verbOff")}
      reason="optional"
      busy={every.isPending}
      error={
        every.error
          ? t("stopped", { schedule: next ? `${next.pipeline.title} · ${next.name}` : "", message: text(every.error) })
          : undefined
      }
      onConfirm={(reason) => every.mutate(reason)}
    >
      <p>{t(on ? "bodyOn" : "bodyOff")}</p>
      {done.length > 0 ? <Progress className="mt-3" label={t("progress")} value={done.length} max={all.length} /> : null}
    </ConfirmDialog>
  );
}
