"use client";
import { ChartGantt, ListTree, Rows3, Workflow } from "lucide-react";
import { useTranslations } from "next-intl";
import { cn } from "@/app/_ui/class-names";
import { Segmented } from "@/app/_ui/segmented";
import { ChainFace } from "./faces/chain-face";
import { GanttFace } from "./faces/gantt-face";
import { GraphFace } from "./faces/graph-face";
import { TableFace } from "./faces/table-face";
import { TimelineFace } from "./faces/timeline-face";
import { isChain } from "./model/graph-layout";
import { FACES, type Face } from "./model/run-keys";
import { useRun } from "./run-context";

interface RunFaceProps {
  face: Face;
  selected: string | null;
  only: boolean;
  wide: boolean;
  onFace: (face: Face) => void;
  onNode: (key: string) => void;
  onOnly: (only: boolean) => void;
}

const ICONS = { graph: Workflow, gantt: ChartGantt, table: Rows3, timeline: ListTree } as const;

/** The run seen one of four ways, with the same selection. */
export function RunFace({ face, selected, only, wide, onFace, onNode, onOnly }: RunFaceProps) {
  const t = useTranslations("run");
  const { run } = useRun();
  const chain = !wide && isChain(run.nodes);
  return (
    <div className="flex min-h-0 min-w-0 flex-1 flex-col">
      <div className="flex h-11 shrink-0 items-center gap-3 overflow-x-auto border-t px-4 [scrollbar-width:none] md:px-6">
        <Segmented<Face>
          label={t("face.label")}
          value={face}
          onValue={onFace}
          options={FACES.map((each) => {
            const Icon = ICONS[each];
            return { value: each, label: t(`face.${each}`), icon: <Icon size={13} aria-hidden="true" className="max-sm:hidden" /> };
          })}
        />
        {face === "timeline" && selected !== null ? (
          <Segmented
            label={t("timeline.onlyLabel")}
            value={only ? "node" : "all"}
            onValue={(value) => onOnly(value === "node")}
            options={[
              { value: "all", label: t("timeline.all") },
              { value: "node", label: t("timeline.only", { node: selected }) },
            ]}
          />
        ) : null}
      </div>
      <div className={cn("flex min-h-0 flex-1 flex-col border-t", face === "graph" && !chain && "max-lg:h-[60dvh] max-lg:flex-none")}>
        <FaceBody face={face} selected={selected} only={only} chain={chain} onNode={onNode} />
      </div>
    </div>
  );
}

type FaceBodyProps = Pick<RunFaceProps, "face" | "selected" | "only" | "onNode"> & { chain: boolean };

function FaceBody({ face, selected, only, chain, onNode }: FaceBodyProps) {
  const { run, events } = useRun();
  switch (face) {
    case "graph":
      if (chain) return <ChainFace nodes={run.nodes} selected={selected} onSelect={onNode} />;
      return <GraphFace run={run} selected={selected} onSelect={onNode} />;
    case "gantt":
      return <GanttFace run={run} selected={selected} onSelect={onNode} />;
    case "table":
      return <TableFace nodes={run.nodes} selected={selected} onSelect={onNode} />;
    case "timeline":
      return <TimelineFace events={events} selected={selected} only={only} onSelect={onNode} />;
  }
}
