"use client";
import { useMutation } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { failureOf } from "@/app/_trpc/failure";
import { FormDialog } from "@/app/_ui/form-dialog";
import { notify } from "@/app/_ui/toast";
import { useFailureText } from "../../_query/use-failure-text";
import { useRefresh } from "../../_query/use-refresh";
import { areComplete, CodeFields, type Facts } from "./code-fields";
import type { CodeDetails } from "./views";

const factsOf = (card: CodeDetails): Facts => ({
  titleEn: card.titleEn,
  titleZh: card.titleZh,
  meaningEn: card.meaningEn,
  meaningZh: card.meaningZh,
  owner: card.owner,
  grade: card.grade,
  impact: card.impact,
  slaMinutes: card.slaMinutes,
  retry: card.retry,
  playbook: card.playbook,
});

/** Changes what the register says; the revision is of what was read, so that nobody's change is lost. */
export function ChangeCode({ card, onClose }: { card: CodeDetails; onClose: () => void }) {
  const t = useTranslations("codes.form");
  const trpc = useTRPC();
  const text = useFailureText();
  const refresh = useRefresh();
  const [{ revision }] = useState(card);
  const [facts, setFacts] = useState(() => factsOf(card));
  const { projectId, code } = card;
  const change = useMutation(
    trpc.codes.change.mutationOptions({
      onSuccess: () => {
        refresh();
        onClose();
        notify({ title: t("changed", { code }) });
      },
    }),
  );
  const issues = failureOf(change.error)?.issues ?? [];
  return (
    <FormDialog
      width="lg"
      title={t("change", { code })}
      lead={card.state === "proposed" ? t("changeLead") : undefined}
      verb={t("save")}
      busy={change.isPending}
      disabled={!areComplete(facts)}
      error={change.error && issues.length === 0 ? text(change.error) : null}
      onClose={onClose}
      onSubmit={() => change.mutate({ projectId, code, revision, facts })}
    >
      <CodeFields facts={facts} onFacts={setFacts} errorAt={(name) => issues.find((issue) => issue.path === `facts.${name}`)?.message} />
    </FormDialog>
  );
}
