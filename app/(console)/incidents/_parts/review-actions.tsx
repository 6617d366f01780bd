"use client";
import { useMutation } from "@tanstack/react-query";
import { Plus, Trash2 } from "lucide-react";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { Badge } from "@/app/_ui/badge";
import { Button } from "@/app/_ui/button";
import { useZone } from "@/app/_ui/clock";
import { Field } from "@/app/_ui/field";
import { FormDialog } from "@/app/_ui/form-dialog";
import { IconButton } from "@/app/_ui/icon-button";
import { Input } from "@/app/_ui/input";
import { fullText } from "@/app/_ui/instant";
import { Panel } from "@/app/_ui/panel";
import { Select, type SelectOption } from "@/app/_ui/select";
import { Textarea } from "@/app/_ui/textarea";
import { notify } from "@/app/_ui/toast";
import { roleAllows } from "@/server/domain/access/roles";
import type { Action, ReviewForm } from "@/server/domain/incident/review";
import { useRoleIn } from "../../_frame/project";
import { useFailureText } from "../../_query/use-failure-text";
import { useRefresh } from "../../_query/use-refresh";
import { newAction, withAction } from "./model/review-draft";
import { useOwners } from "./use-owners";
import type { ActionLine, IncidentDetails } from "./views";

interface ReviewActionsProps {
  incident: IncidentDetails;
  form: ReviewForm;
  disabled: boolean;
  onForm: (form: ReviewForm) => void;
}

const MOST_ACTIONS = 20;

/** What is done so that it does not come back: each with an owner, a date and its proof. */
export function ReviewActions({ incident, form, disabled, onForm }: ReviewActionsProps) {
  const t = useTranslations("incidents.review");
  const owners = useOwners(incident.projectId);
  const kept = new Map(incident.actions.map((action) => [action.id, action]));
  return (
    <Panel title={t("prevention")} note={t("preventionLead")}>
      <ol className="flex flex-col">
        {form.actions.map((action, at) => (
          <ActionRow
            key={action.id}
            no={at + 1}
            action={action}
            kept={kept.get(action.id)}
            incident={incident}
            owners={owners}
            disabled={disabled || kept.get(action.id)?.done != null}
            onChange={(change) => onForm(withAction(form, action.id, change))}
            onRemove={() => onForm({ ...form, actions: form.actions.filter(({ id }) => id !== action.id) })}
          />
        ))}
      </ol>
      {disabled || form.actions.length >= MOST_ACTIONS ? null : (
        <Button size="sm" className="mt-2" onClick={() => onForm({ ...form, actions: [...form.actions, newAction(crypto.randomUUID())] })}>
          <Plus size={13} aria-hidden="true" />
          {t("addAction")}
        </Button>
      )}
    </Panel>
  );
}

interface ActionRowProps {
  no: number;
  action: Action;
  /** As it was saved last; absent while it is new. */
  kept: ActionLine | undefined;
  incident: IncidentDetails;
  owners: readonly SelectOption[];
  disabled: boolean;
  onChange: (change: Partial<Action>) => void;
  onRemove: () => void;
}

function ActionRow({ no, action, kept, incident, owners, disabled, onChange, onRemove }: ActionRowProps) {
  const t = useTranslations("incidents.review");
  return (
    <li className="flex flex-col gap-3 border-b py-3 last:border-b-0">
      <div className="flex items-end gap-2">
        <Field label={`${no}. ${t("what")}`} className="flex-1">
          <Input maxLength={300} disabled={disabled} value={action.what} onChange={(event) => onChange({ what: event.target.value })} />
        </Field>
        {disabled ? null : (
          <IconButton label={t("removeAction", { n: no })} icon={<Trash2 size={14} aria-hidden="true" />} onClick={onRemove} />
        )}
      </div>
      <div className="grid gap-3 sm:grid-cols-[minmax(0,1fr)_10rem_minmax(0,1.5fr)]">
        <Field label={t("owner")}>
          <Select value={action.ownerId ?? undefined} disabled={disabled} onValue={(ownerId) => onChange({ ownerId })} options={owners} />
        </Field>
        <Field label={t("due")}>
          <Input
            type="date"
            disabled={disabled}
            value={action.due ?? ""}
            onChange={(event) => onChange({ due: event.target.value === "" ? null : event.target.value })}
          />
        </Field>
        <Field label={t("proof")}>
          <Input maxLength={300} disabled={disabled} value={action.proof} onChange={(event) => onChange({ proof: event.target.value })} />
        </Field>
      </div>
      {kept ? <Fate kept={kept} incident={incident} /> : null}
    </li>
  );
}

/** Whether a saved action is done, late, or still to do; also after its incident is closed. */
function Fate({ kept, incident }: { kept: ActionLine; incident: IncidentDetails }) {
  const t = useTranslations("incidents.review");
  const { zone } = useZone();
  const role = useRoleIn(incident.projectId);
  const [isOpen, setIsOpen] = useState(false);
  if (kept.done) {
    const at = fullText(kept.done.at.getTime(), zone, "minute");
    return <p className="break-words text-ink-2 text-meta">{t("done", { at, who: kept.done.by, note: kept.done.note })}</p>;
  }
  return (
    <p className="flex items-center gap-3">
      {kept.overdue ? <Badge tone="bad">{t("overdue")}</Badge> : null}
      {role !== null && roleAllows(role, "incident.handle") ? (
        <Button size="sm" onClick={() => setIsOpen(true)}>
          {t("complete")}
        </Button>
      ) : null}
      {isOpen ? <CompleteDialog action={kept} onClose={() => setIsOpen(false)} /> : null}
    </p>
  );
}

function CompleteDialog({ action, onClose }: { action: ActionLine; onClose: () => void }) {
  const t = useTranslations("incidents.review");
  const trpc = useTRPC();
  const refresh = useRefresh();
  const text = useFailureText();
  const [note, setNote] = useState("");
  const complete = useMutation(
    trpc.incidents.completeAction.mutationOptions({
      onSuccess: () => {
        refresh();
        onClose();
        notify({ title: t("completed"), detail: action.what });
      },
      onError: refresh,
    }),
  );
  return (
    <FormDialog
      title={t("completeTitle", { what: action.what })}
      lead={t("completeLead", { proof: action.proof })}
      verb={t("completeVerb")}
      busy={complete.isPending}
      disabled={note.trim() === ""}
      error={complete.error ? text(complete.error) : null}
      onClose={onClose}
      onSubmit={() => complete.mutate({ id: action.id, note })}
    >
      <Field label={t("completeNote")}>
        <Textarea rows={3} maxLength={500} value={note} onChange={(event) => setNote(event.target.value)} />
      </Field>
    </FormDialog>
  );
}
