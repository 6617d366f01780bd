"use client";
import { useTranslations } from "next-intl";
import { useMemo } from "react";
import { StateBadge } from "@/app/_status/state-badge";
import { Duration } from "@/app/_ui/duration";
import { NodeTypeIcon } from "@/app/_ui/node-type-icon";
import { Table } from "@/app/_ui/table";
import type { Column } from "@/app/_ui/table-column";
import { Time, ZoneNote } from "@/app/_ui/time";
import type { NodeView } from "../../views";
import { nodeTitle } from "../node-words";
import { retryNo } from "../run-card";

interface TableFaceProps {
  nodes: readonly NodeView[];
  selected: string | null;
  onSelect: (key: string) => void;
}

export function TableFace({ nodes, selected, onSelect }: TableFaceProps) {
  const t = useTranslations("run.table");
  const columns = useMemo<readonly Column<NodeView>[]>(
    () => [
      {
        key: "node",
        head: t("node"),
        cell: (node) => (
          <span className="flex min-w-0 items-center gap-2">
            <span className="shrink-0 text-ink-3">
              <NodeTypeIcon type={node.type} size={14} />
            </span>
            <span className="truncate font-medium">{nodeTitle(node)}</span>
          </span>
        ),
      },
      {
        key: "state",
        head: t("state"),
        width: "8.5rem",
        cell: (node) => <StateBadge of="node" state={node.state} retryNo={retryNo(node)} />,
      },
      { key: "attempts", head: t("attempts"), width: "5rem", align: "end", from: "sm", cell: (node) => node.attempts.length },
      {
        key: "started",
        head: (
          <>
            {t("started")} <ZoneNote />
          </>
        ),
        width: "8rem",
        from: "md",
        cell: (node) => <Time bare none="–" at={node.times.startedAt} />,
      },
      {
        key: "duration",
        head: t("duration"),
        width: "6rem",
        align: "end",
        cell: (node) => <Duration since={node.times.startedAt} until={node.times.endedAt} />,
      },
    ],
    [t],
  );
  return (
    <div data-scroll="" className="min-h-0 flex-1 overflow-y-auto">
      <Table
        className="md:px-3"
        label={t("label")}
        columns={columns}
        rows={nodes}
        keyOf={(node) => node.key}
        openKey={selected ?? undefined}
        onOpen={(node) => onSelect(node.key)}
      />
    </div>
  );
}
