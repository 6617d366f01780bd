"use client";
import { useMutation } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { Checkbox } from "@/app/_ui/checkbox";
import { Field } from "@/app/_ui/field";
import { FormDialog } from "@/app/_ui/form-dialog";
import { Input } from "@/app/_ui/input";
import { Textarea } from "@/app/_ui/textarea";
import { notify } from "@/app/_ui/toast";
import { CHECK_NAMES, type CheckName } from "@/server/domain/playbooks/checks";
import { MAX_CHECKS } from "@/server/domain/playbooks/definition";
import { useFailureText } from "../../_query/use-failure-text";
import { useRefresh } from "../../_query/use-refresh";
import type { OwnPlaybook } from "./views";

interface PlaybookDialogProps {
  projectId: string;
  /** Null for a new one. */
  playbook: OwnPlaybook | null;
  onClose: () => void;
}

/** Writes down a symptom, the checks for it, and what their results mean here. */
export function PlaybookDialog({ projectId, playbook, onClose }: PlaybookDialogProps) {
  const t = useTranslations("playbooks.form");
  const [title, setTitle] = useState(playbook?.title ?? "");
  const [symptom, setSymptom] = useState(playbook?.symptom ?? "");
  const [pattern, setPattern] = useState(playbook?.pattern ?? "");
  const [checks, setChecks] = useState<readonly CheckName[]>(playbook?.checks ?? []);
  const [meaning, setMeaning] = useState(playbook?.meaning ?? "");
  const [link, setLink] = useState(playbook?.link ?? "");
  const saver = useSaver(projectId, playbook, onClose);
  const orNull = (text: string) => (text.trim() === "" ? null : text.trim());
  return (
    <FormDialog
      width="lg"
      title={t(playbook ? "change" : "create")}
      verb={t(playbook ? "changeVerb" : "create")}
      busy={saver.busy}
      disabled={title.trim() === "" || symptom.trim() === "" || checks.length === 0}
      error={saver.error}
      onClose={onClose}
      onSubmit={() => saver.save({ title, symptom, pattern: orNull(pattern), checks: [...checks], meaning, link: orNull(link) })}
    >
      <Field label={t("title")}>
        <Input maxLength={120} value={title} onChange={(event) => setTitle(event.target.value)} />
      </Field>
      <Field label={t("symptom")} hint={t("symptomHint")}>
        <Textarea rows={2} maxLength={1_000} value={symptom} onChange={(event) => setSymptom(event.target.value)} />
      </Field>
      <Field label={t("pattern")} hint={t("patternHint")} optional>
        <Input mono autoComplete="off" maxLength={64} value={pattern} onChange={(event) => setPattern(event.target.value.toUpperCase())} />
      </Field>
      <CheckChoice checks={checks} onChecks={setChecks} />
      <Field label={t("meaning")} optional>
        <Textarea rows={4} maxLength={4_000} value={meaning} onChange={(event) => setMeaning(event.target.value)} />
      </Field>
      <Field label={t("link")} hint={t("linkHint")} optional>
        <Input type="url" autoComplete="off" maxLength={500} value={link} onChange={(event) => setLink(event.target.value)} />
      </Field>
    </FormDialog>
  );
}

/** They are made in the order in which they were chosen. */
function CheckChoice({ checks, onChecks }: { checks: readonly CheckName[]; onChecks: (checks: readonly CheckName[]) => void }) {
  const t = useTranslations("playbooks");
  return (
    <fieldset className="m-0 min-w-0 border-0 p-0">
      <legend className="mb-1 font-medium text-ink-2 text-meta">{t("form.checks")}</legend>
      <div className="grid gap-x-5 gap-y-1.5 sm:grid-cols-2">
        {CHECK_NAMES.map((name) => {
          const at = checks.indexOf(name);
          return (
            <Checkbox
              key={name}
              checked={at >= 0}
              disabled={at < 0 && checks.length >= MAX_CHECKS}
              hint={t(`check.${name}.about`)}
              onChecked={(on) => onChecks(on ? [...checks, name] : checks.filter((each) => each !== name))}
            >
              {at >= 0 ? `${at + 1}. ${t(`check.${name}.name`)}` : t(`check.${name}.name`)}
            </Checkbox>
          );
        })}
      </div>
    </fieldset>
  );
}

interface Written {
  title: string;
  symptom: string;
  pattern: string | null;
  checks: CheckName[];
  meaning: string;
  link: string | null;
}

function useSaver(projectId: string, playbook: OwnPlaybook | null, onClose: () => void) {
  const t = useTranslations("playbooks.form");
  const trpc = useTRPC();
  const refresh = useRefresh();
  const text = useFailureText();
  const done = {
    onSuccess: () => {
      refresh();
      onClose();
      notify({ title: t("saved") });
    },
    onError: refresh,
  };
  const create = useMutation(trpc.playbooks.create.mutationOptions(done));
  const change = useMutation(trpc.playbooks.change.mutationOptions(done));
  const error = create.error ?? change.error;
  return {
    busy: create.isPending || change.isPending,
    error: error ? text(error) : null,
    save: (form: Written) =>
      playbook ? change.mutate({ id: playbook.id, revision: playbook.revision, form }) : create.mutate({ projectId, form }),
  };
}
