"use client";
import { TriangleAlert } from "lucide-react";
import { useTranslations } from "next-intl";
import { useMemo, useState } from "react";
import { Button } from "@/app/_ui/button";
import { Dialog } from "@/app/_ui/dialog";
import { Field } from "@/app/_ui/field";
import { Textarea } from "@/app/_ui/textarea";
import type { PipelineDefinition } from "@/server/domain/pipeline/definition";
import { diffDefinitions } from "@/server/domain/pipeline/diff";
import { DiffView } from "./diff-view";
import { useEditor } from "./editor-context";

export type PublishOutcome =
  | { readonly kind: "published"; readonly versionNo: number; readonly poolsMade: readonly string[] }
  | { readonly kind: "refused"; readonly message: string };

interface PublishDialogProps {
  readonly open: boolean;
  readonly onOpen: (open: boolean) => void;
  readonly live: { readonly versionNo: number; readonly definition: PipelineDefinition } | null;
  /** Saves what is not saved, then publishes exactly that. */
  readonly onPublish: (message: string) => Promise<PublishOutcome>;
  readonly onProblems: () => void;
}

/** What goes live, in what it differs from what is live, and why. */
export function PublishDialog(props: PublishDialogProps) {
  const t = useTranslations("editor.publish");
  const { problems } = useEditor();
  const { live } = props;
  return (
    <Dialog
      open={props.open}
      onOpen={props.onOpen}
      title={live === null ? t("titleFirst") : t("title", { version: live.versionNo + 1 })}
      lead={live === null ? t("leadFirst") : t("lead", { version: live.versionNo })}
      width="lg"
    >
      {problems.length > 0 ? <Blocked count={problems.length} onProblems={props.onProblems} /> : <PublishForm {...props} />}
    </Dialog>
  );
}

function Blocked({ count, onProblems }: { count: number; onProblems: () => void }) {
  const t = useTranslations("editor.publish");
  return (
    <div className="flex items-start gap-3">
      <TriangleAlert size={16} aria-hidden="true" className="mt-1 shrink-0 text-state-failed" />
      <div className="flex flex-col items-start gap-3">
        <p>{t("blocked", { n: count })}</p>
        <Button look="primary" onClick={onProblems}>
          {t("showProblems")}
        </Button>
      </div>
    </div>
  );
}

function PublishForm({ onOpen, live, onPublish }: PublishDialogProps) {
  const t = useTranslations("editor.publish");
  const ui = useTranslations("ui");
  const { state } = useEditor();
  const { definition } = state.draft;
  const [message, setMessage] = useState("");
  const [busy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<string | null>(null);
  const diff = useMemo(() => (live === null ? null : diffDefinitions(live.definition, definition)), [live, definition]);

  const publish = async () => {
    setBusy(true);
    const outcome = await onPublish(message.trim());
    setBusy(false);
    if (outcome.kind === "refused") setRefusal(outcome.message);
    else onOpen(false);
  };

  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        void publish();
      }}
    >
      {diff === null ? (
        <p className="text-ink-2 text-table">
          {t("first", { nodes: definition.spec.nodes.length, schedules: definition.spec.schedules.length })}
        </p>
      ) : (
        <DiffView diff={diff} />
      )}
      <Field label={t("message")} hint={t("messageHint")} optional>
        <Textarea rows={2} maxLength={500} value={message} onChange={(event) => setMessage(event.target.value)} />
      </Field>
      {refusal === null ? null : (
        <p role="alert" className="border-state-failed border-l-2 pl-2 text-state-failed text-table">
          {refusal}
        </p>
      )}
      <div className="flex justify-end gap-2 border-t pt-3">
        <Button disabled={busy} onClick={() => onOpen(false)}>
          {ui("cancel")}
        </Button>
        <Button type="submit" look="primary" busy={busy}>
          {t("verb")}
        </Button>
      </div>
    </form>
  );
}
