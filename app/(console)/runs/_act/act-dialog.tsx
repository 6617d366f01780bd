"use client";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { failureOf } from "@/app/_trpc/failure";
import { ConfirmDialog } from "@/app/_ui/confirm-dialog";
import { Field } from "@/app/_ui/field";
import { Textarea } from "@/app/_ui/textarea";
import { notify } from "@/app/_ui/toast";
import { nodeTitle } from "../_run/node-words";
import { useRun } from "../_run/run-context";
import type { RunView } from "../views";
import { NodeActPreview, RunActPreview, usePreview } from "./act-preview";
import { type Act, actName, isDestructive } from "./model/acts";
import { useRefusal } from "./refusal";
import { useAct } from "./use-act";

interface ActDialogProps {
  act: Act;
  openedMs: number;
  onClose: () => void;
}

type Output = { ok: true; value: unknown } | { ok: false; message: string };

function readOutput(text: string): Output {
  if (text.trim() === "") return { ok: true, value: undefined };
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) };
  }
}

/** Says what will happen, asks why, does it, and says where it was written down. Mount it anew for another act. */
export function ActDialog({ act, openedMs, onClose }: ActDialogProps) {
  const t = useTranslations("run.act");
  const { run } = useRun();
  const preview = usePreview(act);
  // Judged against the run as it was when this was opened; once told that it has moved, against what is shown now.
  const [seen, setSeen] = useState<RunView | null>(run);
  const deed = useAct(seen ?? run);
  const refusal = useRefusal(openedMs);
  const [output, setOutput] = useState({ text: "", message: "" });
  const name = actName(act);
  const node = act.on === "node" ? run.nodes.find((each) => each.key === act.key) : undefined;
  const object = node ? nodeTitle(node) : run.pipeline.title;
  const count = preview.data?.kind === "possible" ? preview.data.runs.length : 0;
  const title =
    name === "rerunFrom" && count > 0 ? t("title.rerunFromN", { node: object, n: count }) : t(`title.${name}`, { node: object });

  const confirm = async (reason: string) => {
    const read = readOutput(output.text);
    setOutput({ ...output, message: read.ok ? "" : t("outputBad", { message: read.message }) });
    if (!read.ok) return;
    const id = await deed.mutateAsync({ act, reason, output: read.value }).catch((error: unknown) => {
      if (failureOf(error)?.code === "stale") setSeen(null);
      return null;
    });
    if (id === null) return;
    onClose();
    notify({
      title: t(`done.${name}`, { node: object }),
      link:
        name === "again"
          ? { href: `/runs/${id}`, label: t("toRun") }
          : { href: `/audit?kind=run&id=${id}&label=${encodeURIComponent(run.pipeline.title)}`, label: t("toAudit") },
    });
  };

  return (
    <ConfirmDialog
      open
      onOpen={(open) => {
        if (!open) onClose();
      }}
      title={title}
      verb={t(act.verb === "cancel" ? `verb.${act.on}` : name)}
      dismiss={act.verb === "cancel" ? t("back") : undefined}
      tone={isDestructive(act) ? "destroy" : "plain"}
      reason="required"
      busy={deed.isPending}
      error={deed.error ? refusal(deed.error) : undefined}
      onConfirm={(reason) => void confirm(reason)}
    >
      <p className="mb-3">{t(`lead.${name}`)}</p>
      {act.on === "node" ? <NodeActPreview act={act} preview={preview} /> : name === "again" ? null : <RunActPreview />}
      {name === "markSuccess" ? (
        <Field
          className="mt-4"
          label={t("output")}
          optional
          hint={t("outputHint")}
          error={output.message === "" ? undefined : output.message}
        >
          <Textarea mono rows={5} value={output.text} onChange={(event) => setOutput({ text: event.target.value, message: "" })} />
        </Field>
      ) : null}
    </ConfirmDialog>
  );
}
