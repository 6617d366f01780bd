"use client";
import { useTranslations } from "next-intl";
import { type KeyValue, KeyValues } from "@/app/_ui/key-values";
import { Panel } from "@/app/_ui/panel";
import { Time } from "@/app/_ui/time";
import type { Outputs } from "@/app/(console)/_query/outputs";

type View = Outputs["links"]["open"];
/** More names than a phone shows without scrolling say no more than their number. */
const MOST_NAMES = 8;

/** What a press touches: what runs, what is kept, what ends. */
export function Radius({ view }: { view: View }) {
  const t = useTranslations("links");
  const items = useItems(view);
  const { effect, target } = view;
  if (items.length === 0) return null;
  return (
    <Panel title={t("radius")}>
      <KeyValues items={items} />
      {effect?.kind === "node" && effect.maybeRepeated ? (
        <p className="mt-2 border-state-queued border-l-2 pl-3 text-table">{t("maybe", { node: target.nodeKey ?? "" })}</p>
      ) : null}
    </Panel>
  );
}

function useItems({ effect }: View): KeyValue[] {
  const t = useTranslations("links");
  const names = (list: readonly string[]) => {
    if (list.length === 0) return t("none");
    const shown = list.slice(0, MOST_NAMES).join(", ");
    return list.length > MOST_NAMES ? t("more", { shown, n: list.length - MOST_NAMES }) : shown;
  };
  switch (effect?.kind) {
    case "node":
      return [
        { key: "runs", label: t("runs"), value: names(effect.runs) },
        { key: "again", label: t("again"), value: names(effect.again) },
        { key: "reused", label: t("reused"), value: names(effect.reused) },
      ];
    case "run":
      return [
        { key: "canceled", label: t("canceled"), value: names(effect.canceled) },
        { key: "kept", label: t("kept"), value: names(effect.kept) },
      ];
    case "pipeline":
      return [
        { key: "live", label: t("liveRuns"), value: effect.liveRuns },
        { key: "waiting", label: t("waitingRuns"), value: effect.waitingRuns },
        { key: "schedules", label: t("schedules"), value: names(effect.schedules) },
      ];
    case "worker":
      return [{ key: "running", label: t("running"), value: effect.running }];
    case "mute":
      return [{ key: "until", label: t("muted"), value: <Time at={effect.until} full /> }];
    case "acknowledge":
    case undefined:
      return [];
  }
}
