"use client";
import { useMutation } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { Field } from "@/app/_ui/field";
import { FormDialog } from "@/app/_ui/form-dialog";
import { Textarea } from "@/app/_ui/textarea";
import { notify } from "@/app/_ui/toast";
import type { RoutingRule } from "@/server/domain/routing/rule";
import { useFailureText } from "../../_query/use-failure-text";
import { useRefresh } from "../../_query/use-refresh";
import { Rerouted } from "./outcome";
import type { Simulation } from "./views";

interface SaveDialogProps {
  projectId: string;
  /** The version that the draft began with; refused where another is live by now. */
  version: number;
  rules: readonly RoutingRule[];
  simulation: Simulation | undefined;
  onClose: (saved: boolean) => void;
}

/** Says once more what the change would have done, and asks why it is made. */
export function SaveDialog({ projectId, version, rules, simulation, onClose }: SaveDialogProps) {
  const t = useTranslations("routing.save");
  const trpc = useTRPC();
  const text = useFailureText();
  const refresh = useRefresh();
  const [note, setNote] = useState("");
  const save = useMutation(
    trpc.routing.save.mutationOptions({
      onSuccess: (saved) => {
        refresh();
        onClose(true);
        notify({ title: t("done", { version: saved.version }) });
      },
      // Somebody else may have been quicker: then the page shows what is live, beside the draft.
      onError: refresh,
    }),
  );
  return (
    <FormDialog
      title={t("title")}
      lead={t("lead")}
      verb={t("verb")}
      busy={save.isPending}
      error={save.error ? text(save.error) : null}
      onClose={() => onClose(false)}
      onSubmit={() => save.mutate({ projectId, version, rules: [...rules], note: note.trim() })}
    >
      {simulation ? <Rerouted simulation={simulation} /> : null}
      <Field optional label={t("note")} hint={t("noteHint")}>
        <Textarea rows={2} value={note} maxLength={500} onChange={(event) => setNote(event.target.value)} />
      </Field>
    </FormDialog>
  );
}
