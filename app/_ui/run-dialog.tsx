"use client";
import { useTranslations } from "next-intl";
import { type FormEvent, type ReactNode, useId, useState } from "react";
import { Button } from "./button";
import { Dialog } from "./dialog";
import { draftOf, type ParamDefinitions, type ParamProblem, readDraft } from "./param-values";
import { ParamsForm, useParamProblem } from "./params-form";

export interface RunDialogProps {
  open: boolean;
  onOpen: (open: boolean) => void;
  title: ReactNode;
  lead?: ReactNode;
  /** Repeats the title's verb. */
  verb: string;
  definitions: ParamDefinitions;
  /** Values of a run that is repeated. */
  given?: Readonly<Record<string, unknown>>;
  /** Over the fields, or in their place where there are none. */
  note?: ReactNode;
  busy?: boolean;
  /** What the server refused, in its words. */
  error?: ReactNode;
  onRun: (values: Record<string, unknown>) => void;
}

/** Asks for the parameters of a run by their types, and sends nothing that the server would refuse. */
export function RunDialog({ open, onOpen, title, lead, verb, busy, ...form }: RunDialogProps) {
  const t = useTranslations("ui");
  const id = useId();
  return (
    <Dialog
      open={open}
      onOpen={onOpen}
      title={title}
      lead={lead}
      footer={
        <>
          <Button onClick={() => onOpen(false)} disabled={busy}>
            {t("cancel")}
          </Button>
          <Button type="submit" form={id} look="primary" busy={busy}>
            {verb}
          </Button>
        </>
      }
    >
      <RunForm id={id} {...form} />
    </Dialog>
  );
}

type RunFormProps = Pick<RunDialogProps, "definitions" | "given" | "note" | "error" | "onRun"> & { id: string };

function RunForm({ id, definitions, given, note, error, onRun }: RunFormProps) {
  const problemText = useParamProblem();
  const [draft, setDraft] = useState(() => draftOf(definitions, given));
  const [problems, setProblems] = useState<readonly ParamProblem[]>([]);
  const atNoField = problems.filter(({ name }) => !Object.hasOwn(definitions, name));

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const read = readDraft(definitions, draft);
    setProblems(read.ok ? [] : read.problems);
    if (read.ok) onRun(read.values);
  };

  return (
    <form id={id} onSubmit={submit} noValidate className="flex flex-col gap-4">
      {note ? <div className="text-ink-2 text-table">{note}</div> : null}
      <ParamsForm
        definitions={definitions}
        draft={draft}
        problems={problems}
        onDraft={(next) => {
          setDraft(next);
          const read = problems.length > 0 ? readDraft(definitions, next) : null;
          if (read) setProblems(read.ok ? [] : read.problems);
        }}
      />
      {error || atNoField.length > 0 ? (
        <div role="alert" className="break-words border-state-failed border-l-2 pl-2 text-state-failed text-table">
          {error}
          {atNoField.map((problem) => (
            <p key={problem.code}>{`${problem.name} ${problemText(problem)}`}</p>
          ))}
        </div>
      ) : null}
    </form>
  );
}
