"use client";
import { useQuery } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useMemo, useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { failureOf } from "@/app/_trpc/failure";
import { useLive } from "@/app/_trpc/use-live";
import { Drawer } from "@/app/_ui/drawer";
import { ErrorState } from "@/app/_ui/error-state";
import { useProject, useRoleIn } from "../../_frame/project";
import { ActDialog } from "../_act/act-dialog";
import type { Act } from "../_act/model/acts";
import type { RunView } from "../views";
import { firstNode } from "./model/first-look";
import { NodePanel } from "./node/node-panel";
import { nodeTitle } from "./node-words";
import { RunGround, useRun } from "./run-context";
import { RunFace } from "./run-face";
import { RunHeader } from "./run-header";
import { RunNotices } from "./run-notices";
import { useRunAddress } from "./use-run-address";
import { useRunEvents } from "./use-run-events";
import { useRunKeys } from "./use-run-keys";
import { useWide } from "./use-wide";

/** A run opened by its id may be of another project than the one that the frame listens to. */
function useRunLine(projectId: string) {
  const current = useProject();
  useLive(current?.id === projectId ? null : projectId);
}

export function RunScreen({ first }: { first: RunView }) {
  const t = useTranslations("run");
  const trpc = useTRPC();
  const asked = useQuery({ ...trpc.runs.get.queryOptions({ runId: first.id }), initialData: first });
  const run = asked.data;
  useRunLine(run.projectId);
  const role = useRoleIn(run.projectId);
  const events = useRunEvents(run.id, run.seq);
  const [doing, setDoing] = useState<{ act: Act; openedMs: number } | null>(null);
  const scene = useMemo(() => ({ run, role, events, act: (act: Act) => setDoing({ act, openedMs: Date.now() }) }), [run, role, events]);
  const failure = asked.error ? failureOf(asked.error) : null;
  if (failure?.code === "not_found" || failure?.code === "forbidden") {
    return <ErrorState className="m-4 md:m-6" title={t("notFound.title")} detail={failure.message} />;
  }
  return (
    <RunGround scene={scene}>
      <RunBody />
      {doing ? (
        <ActDialog
          key={`${doing.act.on} ${doing.act.verb} ${doing.openedMs}`}
          act={doing.act}
          openedMs={doing.openedMs}
          onClose={() => setDoing(null)}
        />
      ) : null}
    </RunGround>
  );
}

/** Which node is shown: the one that was chosen, else the one that the run is about just now. */
function useSelected(run: RunView, chosen: string | null) {
  const node = run.nodes.find((each) => each.key === chosen) ?? null;
  return { node: node ?? firstNode(run.nodes), chosen: node };
}

function RunBody() {
  const { run } = useRun();
  const { address, go } = useRunAddress();
  const wide = useWide();
  const { node, chosen } = useSelected(run, address.node);
  const pick = (key: string) => go({ node: key, tab: null, attempt: null });
  const shown = wide ? node : chosen;
  useRunKeys({
    keys: run.nodes.map((each) => each.key),
    selected: node?.key ?? null,
    onNode: pick,
    onFace: (face) => go({ face }),
    onTab: (tab) => go({ tab, node: node?.key ?? null }),
  });
  const panel = shown ? (
    <NodePanel
      key={shown.key}
      node={shown}
      tab={address.tab}
      attempt={address.attempt}
      bare={!wide}
      onTab={(tab) => go({ tab, node: shown.key })}
      onAttempt={(attempt) => go({ attempt, node: shown.key })}
    />
  ) : null;
  return (
    <div className="flex flex-col lg:h-full lg:min-h-0">
      <RunHeader />
      <RunNotices onNode={pick} />
      <div className="flex min-h-0 flex-1 max-lg:flex-col">
        <RunFace
          face={address.face}
          selected={wide ? (node?.key ?? null) : (chosen?.key ?? null)}
          only={address.only}
          wide={wide}
          onFace={(face) => go({ face })}
          onNode={pick}
          onOnly={(only) => go({ only, node: node?.key ?? null })}
        />
        <aside className="w-2/5 min-w-0 shrink-0 border-t border-l max-lg:hidden">{wide ? panel : null}</aside>
      </div>
      <Drawer
        open={!wide && chosen !== null}
        onOpen={(open) => {
          if (!open) go({ node: null, tab: null, attempt: null });
        }}
        title={chosen ? nodeTitle(chosen) : ""}
        flush
      >
        {wide ? null : panel}
      </Drawer>
    </div>
  );
}
