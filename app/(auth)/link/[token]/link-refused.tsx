"use client";
import { useTranslations } from "next-intl";
import type { ReactNode } from "react";
import { Time } from "@/app/_ui/time";
import type { Outputs } from "@/app/(console)/_query/outputs";
import { NODE_STATES, type NodeState, RUN_STATES, type RunState } from "@/server/domain/run/states";

type View = Outputs["links"]["open"];
type Refusal = NonNullable<View["refusal"]>;

/** Why a link does nothing, and where to go on. */
export function LinkRefused({ refusal, head, places }: { refusal: Refusal; head: ReactNode; places: ReactNode }) {
  const t = useTranslations("links");
  return (
    <div className="flex flex-col gap-5">
      {head}
      <div role="alert" className="flex flex-col gap-1 border-state-queued border-l-2 pl-3 text-table">
        <p className="font-semibold">{t("refused")}</p>
        <Why refusal={refusal} />
        <p className="text-ink-2">{t("refusal.next")}</p>
      </div>
      {places}
    </div>
  );
}

function Why({ refusal }: { refusal: Refusal }) {
  const t = useTranslations("links");
  const word = useStateWord();
  switch (refusal.reason) {
    case "used":
      return <p>{t.rich("refusal.used", { by: refusal.by, time: () => <Time at={refusal.at} full /> })}</p>;
    case "expired":
      return <p>{t.rich("refusal.expired", { time: () => <Time at={refusal.at} full /> })}</p>;
    case "anothers":
      return <p>{t("refusal.anothers", { by: refusal.by })}</p>;
    case "archived":
      return <p>{t("refusal.archived")}</p>;
    case "moved":
      return <p>{t("refusal.moved", { was: word(refusal.was), now: word(refusal.now) })}</p>;
  }
}

const isNode = (word: string): word is NodeState => (NODE_STATES as readonly string[]).includes(word);
const isRun = (word: string): word is RunState => (RUN_STATES as readonly string[]).includes(word);

/** The states of nodes and runs that have the same word are called the same. */
function useStateWord(): (word: string) => string {
  const t = useTranslations("links.state");
  const status = useTranslations("status");
  return (word) => (isNode(word) ? status(`node.${word}`) : isRun(word) ? status(`run.${word}`) : t(word as "open"));
}
