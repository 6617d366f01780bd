"use client";
import { useQuery } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import type { ReactNode } from "react";
import { StateBadge, StateDot } from "@/app/_status/state-badge";
import { useTRPC } from "@/app/_trpc/client";
import { failureOf } from "@/app/_trpc/failure";
import { SkeletonRows } from "@/app/_ui/skeleton";
import { isLiveNode, type NodeState } from "@/server/domain/run/states";
import { useRun } from "../_run/run-context";
import type { InterventionPreview } from "../views";
import type { Act } from "./model/acts";

type NodeAct = Extract<Act, { on: "node" }>;
type Possible = Extract<InterventionPreview, { kind: "possible" }>;

export function usePreview(act: Act) {
  const trpc = useTRPC();
  const { run } = useRun();
  const of: NodeAct = act.on === "node" ? act : { on: "node", verb: "retry", key: "" };
  return useQuery({
    ...trpc.runs.previewRerun.queryOptions({ runId: run.id, key: of.key, action: of.verb }),
    enabled: act.on === "node",
    staleTime: 0,
  });
}

/** What will run, what is kept, what is skipped: told by the decision that will do it. */
export function NodeActPreview({ act, preview }: { act: NodeAct; preview: ReturnType<typeof usePreview> }) {
  const t = useTranslations("run.act");
  const { run } = useRun();
  if (preview.isPending) return <SkeletonRows rows={3} label={t("previewing")} />;
  if (preview.error) {
    return <p className="text-state-failed text-table">{t("previewFailed", { message: failureOf(preview.error)?.message ?? "" })}</p>;
  }
  const found = preview.data;
  if (found.kind === "refused") {
    return <p className="border-state-failed border-l-2 pl-2 text-table">{t("refused", { reason: found.reason })}</p>;
  }
  const changed = changedBy(found, new Map(run.nodes.map((node) => [node.key, node.state])), act.key);
  return (
    <>
      {found.again.length > 0 ? (
        <p className="mb-3 border-state-retrying border-l-2 pl-2 text-ink text-table">{t("effect", { n: found.again.length })}</p>
      ) : null}
      <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-4 gap-y-1.5 text-table">
        <Keys
          label={t(found.runState === "RUNNING" ? "runs" : "waits")}
          state={found.runState === "RUNNING" ? "QUEUED" : "PENDING"}
          keys={changed.runs}
          again={new Set(found.again)}
        />
        <Keys label={t("reused")} state="SUCCESS" keys={changed.reused} />
        <Keys label={t("skipped")} state="SKIPPED" keys={changed.skipped} />
        <Keys label={t("canceled")} state="CANCELED" keys={changed.canceled} />
        <dt className="text-ink-3">{t("after")}</dt>
        <dd>
          <StateBadge of="run" state={found.runState} />
        </dd>
      </dl>
    </>
  );
}

/** Nodes that run anyway are no consequence of the act, so they are left out. */
function changedBy(found: Possible, states: ReadonlyMap<string, NodeState>, key: string) {
  const runsAnyway = (each: string) => each !== key && isLiveNode(states.get(each) ?? "PENDING");
  const was = (each: string, state: NodeState) => each !== key && states.get(each) === state;
  return {
    runs: found.runs.filter((each) => !runsAnyway(each)),
    reused: found.reused,
    skipped: found.skipped.filter((each) => !was(each, "SKIPPED")),
    canceled: found.canceled.filter((each) => !was(each, "CANCELED")),
  };
}

const MOST = 12;

interface KeysProps {
  label: string;
  state: NodeState;
  keys: readonly string[];
  again?: ReadonlySet<string>;
}

function Keys({ label, state, keys, again }: KeysProps): ReactNode {
  const t = useTranslations("run.act");
  if (keys.length === 0) return null;
  return (
    <>
      <dt className="text-ink-3">{label}</dt>
      <dd className="flex flex-wrap gap-x-3 gap-y-1">
        {keys.slice(0, MOST).map((key) => (
          <span key={key} className="inline-flex items-center gap-1">
            <StateDot of="node" state={state} size={12} />
            <code className="font-mono text-ink text-meta leading-5">{key}</code>
            {again?.has(key) && again.size < keys.length ? <span className="text-meta text-state-retrying">{t("again2")}</span> : null}
          </span>
        ))}
        {keys.length > MOST ? <span className="text-ink-3 text-meta">{`+${keys.length - MOST}`}</span> : null}
      </dd>
    </>
  );
}

/** For the whole run: what executes, what waits, what has not been reached. */
export function RunActPreview() {
  const t = useTranslations("run.act");
  const { run } = useRun();
  const keysIn = (...states: NodeState[]) => run.nodes.filter((node) => states.includes(node.state)).map((node) => node.key);
  const executing = keysIn("RUNNING");
  const queued = keysIn("QUEUED", "RETRYING", "AWAITING_APPROVAL");
  const pending = keysIn("PENDING");
  if (executing.length + queued.length + pending.length === 0) return null;
  return (
    <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-4 gap-y-1.5 text-table">
      <Keys label={t("executing")} state="RUNNING" keys={executing} />
      <Keys label={t("queuedNow")} state="QUEUED" keys={queued} />
      <Keys label={t("pendingNow")} state="PENDING" keys={pending} />
    </dl>
  );
}
