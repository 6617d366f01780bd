"use client";
import { useMutation } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { ConfirmDialog } from "@/app/_ui/confirm-dialog";
import { Field } from "@/app/_ui/field";
import { FormDialog } from "@/app/_ui/form-dialog";
import { Input } from "@/app/_ui/input";
import { MAX_RATE } from "@/server/domain/valve/valve";
import { useFailureText } from "../../_query/use-failure-text";
import { useRefresh } from "../../_query/use-refresh";
import type { ValveRow } from "./views";

const USUAL_RATE = "60";

/** How fast what is held goes; how long that will take is said before. */
export function ReleaseDialog({ valve, onClose }: { valve: ValveRow; onClose: () => void }) {
  const t = useTranslations("valves.release");
  const trpc = useTRPC();
  const text = useFailureText();
  const refresh = useRefresh();
  const [rate, setRate] = useState(valve.rate === null ? USUAL_RATE : String(valve.rate));
  const [reason, setReason] = useState("");
  const wanted = /^\d{1,6}$/.test(rate.trim()) ? Number(rate) : 0;
  const isRight = wanted >= 1 && wanted <= MAX_RATE;
  const release = useMutation(
    trpc.valves.release.mutationOptions({
      onSuccess: () => {
        refresh();
        onClose();
      },
      onError: refresh,
    }),
  );
  return (
    <FormDialog
      title={t("title", { no: valve.no })}
      lead={t("lead")}
      verb={t("verb")}
      busy={release.isPending}
      disabled={!isRight || reason.trim() === ""}
      error={release.error ? text(release.error) : null}
      onClose={onClose}
      onSubmit={() => release.mutate({ no: valve.no, revision: valve.revision, rate: wanted, reason: reason.trim() })}
    >
      <Field
        label={t("rate")}
        hint={isRight ? t("takes", { held: valve.held, minutes: Math.ceil(valve.held / wanted) }) : undefined}
        error={isRight ? undefined : t("wrong", { max: MAX_RATE })}
      >
        <Input mono inputMode="numeric" value={rate} onChange={(event) => setRate(event.target.value)} />
      </Field>
      <Field label={t("reason")}>
        <Input maxLength={500} value={reason} onChange={(event) => setReason(event.target.value)} />
      </Field>
    </FormDialog>
  );
}

/** Stops a release that is under way. */
export function StopDialog({ valve, onClose }: { valve: ValveRow; onClose: () => void }) {
  const t = useTranslations("valves.stop");
  const trpc = useTRPC();
  const text = useFailureText();
  const refresh = useRefresh();
  const stop = useMutation(
    trpc.valves.stopRelease.mutationOptions({
      onSuccess: () => {
        refresh();
        onClose();
      },
      onError: refresh,
    }),
  );
  return (
    <ConfirmDialog
      open
      onOpen={(open) => {
        if (!open) onClose();
      }}
      title={t("title", { no: valve.no })}
      verb={t("verb")}
      dismiss={t("keep")}
      reason="required"
      busy={stop.isPending}
      error={stop.error ? text(stop.error) : undefined}
      onConfirm={(reason) => stop.mutate({ no: valve.no, revision: valve.revision, reason })}
    >
      {t("body", { held: valve.held })}
    </ConfirmDialog>
  );
}
