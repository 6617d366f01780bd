"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { ShieldCheck } from "lucide-react";
import { useTranslations } from "next-intl";
import { CrossedSquare, Tick } from "@/app/_status/glyphs";
import { useTRPC } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import { useNow, useZone } from "@/app/_ui/clock";
import { offsetText, shortText } from "@/app/_ui/instant";
import type { Outputs } from "../../_query/outputs";
import { useFailureText } from "../../_query/use-failure-text";

/** Walks the whole chain on demand, and says up to where it holds or at which row it does not. */
export function VerifyChain({ projectId }: { projectId: string | null }) {
  const t = useTranslations("audit.verify");
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const text = useFailureText();
  const verify = useMutation({
    mutationFn: () => queryClient.fetchQuery({ ...trpc.audit.verify.queryOptions({ projectId }), staleTime: 0, gcTime: 0 }),
  });
  return (
    <>
      <span role="status" className="text-table empty:hidden">
        {verify.data ? <Verdict verdict={verify.data} /> : null}
        {verify.error ? <span className="text-state-failed">{text(verify.error)}</span> : null}
      </span>
      <Button title={t("hint")} busy={verify.isPending} onClick={() => verify.mutate()}>
        <ShieldCheck size={13} aria-hidden="true" />
        {t(verify.isPending ? "busy" : "verb")}
      </Button>
    </>
  );
}

function Verdict({ verdict }: { verdict: Outputs["audit"]["verify"] }) {
  const t = useTranslations("audit.verify");
  const { zone } = useZone();
  const now = useNow(60_000);
  if (verdict.kind === "broken") {
    return (
      <span className="inline-flex items-center gap-1.5 font-medium text-state-failed">
        <CrossedSquare size={14} />
        {t("broken", { seq: verdict.seq, reason: verdict.reason })}
      </span>
    );
  }
  const ms = verdict.upTo?.getTime() ?? null;
  return (
    <span className="inline-flex items-center gap-1.5">
      <span className="text-state-success">
        <Tick size={14} />
      </span>
      {ms === null
        ? t("intactEmpty")
        : t("intact", { rows: verdict.rows, time: `${shortText(ms, now, zone, "second")} ${offsetText(ms, zone)}` })}
    </span>
  );
}
