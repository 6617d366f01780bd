"use client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import { notify } from "@/app/_ui/toast";
import { roleAllows } from "@/server/domain/access/roles";
import { useRoleIn } from "../../_frame/project";
import { useFailureText } from "../../_query/use-failure-text";
import { useRefresh } from "../../_query/use-refresh";
import { ChangeCode } from "./change-code";
import { CodeAct } from "./code-act";
import type { CodeDetails } from "./views";

/** What the reader may do with a code as it stands; why not is said where a proposal waits. */
export function CodeActs({ card }: { card: CodeDetails }) {
  const t = useTranslations("codes.card");
  const role = useRoleIn(card.projectId);
  const [open, setOpen] = useState<"change" | "deprecate" | "withdraw" | null>(null);
  const isProposal = card.state === "proposed";
  if (role === null || !roleAllows(role, "code.review")) {
    return isProposal ? <span className="text-ink-3 text-table">{t("role")}</span> : null;
  }
  const end = isProposal ? "withdraw" : "deprecate";
  return (
    <>
      {card.state === "deprecated" ? null : <Button onClick={() => setOpen(end)}>{t(end)}</Button>}
      <Button onClick={() => setOpen("change")}>{t("change")}</Button>
      {isProposal ? <Approve card={card} /> : null}
      {open === "change" ? <ChangeCode card={card} onClose={() => setOpen(null)} /> : null}
      {open === "deprecate" || open === "withdraw" ? <CodeAct act={{ kind: open }} card={card} onClose={() => setOpen(null)} /> : null}
    </>
  );
}

function Approve({ card }: { card: CodeDetails }) {
  const t = useTranslations("codes.card");
  const trpc = useTRPC();
  const text = useFailureText();
  const refresh = useRefresh();
  const me = useQuery(trpc.session.me.queryOptions());
  const approve = useMutation(
    trpc.codes.approve.mutationOptions({
      onSuccess: ({ state, left }) => {
        refresh();
        notify({ title: state === "registered" ? t("approvedAll", { code: card.code }) : t("approvedLeft", { n: left }) });
      },
      onError: (error) => {
        refresh();
        notify({ title: text(error), tone: "bad" });
      },
    }),
  );
  const who = me.data?.user?.id;
  if (who !== undefined && who === card.proposedBy.id) return <span className="text-ink-3 text-table">{t("own")}</span>;
  if (card.approvals.some(({ userId }) => userId === who)) return <span className="text-ink-3 text-table">{t("twice")}</span>;
  return (
    <Button
      look="primary"
      busy={approve.isPending}
      onClick={() => approve.mutate({ projectId: card.projectId, code: card.code, revision: card.revision })}
    >
      {t("approve")}
    </Button>
  );
}
