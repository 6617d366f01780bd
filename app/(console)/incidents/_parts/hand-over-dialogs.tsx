"use client";
import { useMutation } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { Field } from "@/app/_ui/field";
import { FormDialog } from "@/app/_ui/form-dialog";
import { Select } from "@/app/_ui/select";
import { Textarea } from "@/app/_ui/textarea";
import { notify } from "@/app/_ui/toast";
import { GRADES, type Grade, isGraver } from "@/server/domain/alert/grade";
import { GradeMark } from "../../_grades/grade-mark";
import { useFailureText } from "../../_query/use-failure-text";
import { useRefresh } from "../../_query/use-refresh";
import { useOwners } from "./use-owners";
import type { IncidentDetails } from "./views";

interface DialogProps {
  incident: IncidentDetails;
  onClose: () => void;
}

export function AssignDialog({ incident, onClose }: DialogProps) {
  const t = useTranslations("incidents.act");
  const trpc = useTRPC();
  const refresh = useRefresh();
  const text = useFailureText();
  const owners = useOwners(incident.projectId);
  const [ownerId, setOwnerId] = useState(incident.ownerId ?? undefined);
  const assign = useMutation(
    trpc.incidents.assign.mutationOptions({
      onSuccess: (after) => {
        refresh();
        onClose();
        notify({ title: t("assigned", { no: incident.no, who: after.owner ?? "" }) });
      },
      onError: refresh,
    }),
  );
  return (
    <FormDialog
      title={t("assignTitle", { no: incident.no })}
      lead={t("assignLead")}
      verb={t("assign")}
      busy={assign.isPending}
      disabled={ownerId === undefined}
      error={assign.error ? text(assign.error) : null}
      onClose={onClose}
      onSubmit={() => {
        if (ownerId !== undefined) assign.mutate({ id: incident.id, revision: incident.revision, ownerId });
      }}
    >
      <Field label={t("owner")}>
        <Select value={ownerId} onValue={setOwnerId} options={owners} />
      </Field>
    </FormDialog>
  );
}

export function EscalateDialog({ incident, onClose }: DialogProps) {
  const t = useTranslations("incidents.act");
  const trpc = useTRPC();
  const refresh = useRefresh();
  const text = useFailureText();
  const graver = GRADES.filter((grade) => isGraver(grade, incident.severity));
  const [severity, setSeverity] = useState<Grade | undefined>(graver.at(-1));
  const [reason, setReason] = useState("");
  const escalate = useMutation(
    trpc.incidents.escalate.mutationOptions({
      onSuccess: (after) => {
        refresh();
        onClose();
        notify({ title: t("escalated", { no: incident.no, severity: after.severity }), detail: t("told", { n: after.told }) });
      },
      onError: refresh,
    }),
  );
  return (
    <FormDialog
      title={t("escalateTitle", { no: incident.no })}
      lead={t("escalateLead")}
      verb={t("escalate")}
      busy={escalate.isPending}
      disabled={severity === undefined || reason.trim() === ""}
      error={escalate.error ? text(escalate.error) : null}
      onClose={onClose}
      onSubmit={() => {
        if (severity !== undefined) escalate.mutate({ id: incident.id, revision: incident.revision, severity, reason });
      }}
    >
      <Field label={t("severity")}>
        <Select value={severity} onValue={setSeverity} options={graver.map((value) => ({ value, label: <GradeMark grade={value} /> }))} />
      </Field>
      <Field label={t("reason")}>
        <Textarea rows={2} maxLength={500} value={reason} onChange={(event) => setReason(event.target.value)} />
      </Field>
    </FormDialog>
  );
}
