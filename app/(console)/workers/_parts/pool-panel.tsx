"use client";
import { useQuery } from "@tanstack/react-query";
import { Pencil, Plus, X } from "lucide-react";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import { cn } from "@/app/_ui/class-names";
import { EmptyState } from "@/app/_ui/empty-state";
import { IconButton } from "@/app/_ui/icon-button";
import { Panel } from "@/app/_ui/panel";
import { Table } from "@/app/_ui/table";
import type { Column } from "@/app/_ui/table-column";
import { QueryState } from "../../_query/query-state";
import { DeletePool, SavePool } from "./pool-dialogs";
import type { PoolView } from "./views";

type Asking = { readonly kind: "save"; readonly pool: PoolView | null } | { readonly kind: "delete"; readonly pool: PoolView };

interface PoolPanelProps {
  projectId: string;
  /** Title of the project: pools are its own, unlike all else on this screen. */
  project: string;
  mayManage: boolean;
  everyMs: number;
}

/** Shared resources of the project: how much of each is taken, and what waits for it. */
export function PoolPanel({ projectId, project, mayManage, everyMs }: PoolPanelProps) {
  const t = useTranslations("workers.pools");
  const trpc = useTRPC();
  const pools = useQuery({ ...trpc.pools.list.queryOptions({ projectId }), refetchInterval: everyMs });
  const [asking, setAsking] = useState<Asking | null>(null);
  const close = () => setAsking(null);
  const add = mayManage ? (
    <Button size="sm" onClick={() => setAsking({ kind: "save", pool: null })}>
      <Plus size={13} aria-hidden="true" />
      {t("add")}
    </Button>
  ) : undefined;
  return (
    <Panel title={t("title")} note={t("note", { project })} actions={add} bodyClassName="md:-mx-3">
      <QueryState query={pools}>{(rows) => <PoolTable pools={rows} mayManage={mayManage} onAsk={setAsking} />}</QueryState>
      {asking?.kind === "save" ? <SavePool projectId={projectId} pool={asking.pool} onClose={close} /> : null}
      {asking?.kind === "delete" ? <DeletePool projectId={projectId} pool={asking.pool} onClose={close} /> : null}
    </Panel>
  );
}

interface PoolTableProps {
  pools: readonly PoolView[];
  mayManage: boolean;
  onAsk: (asking: Asking) => void;
}

function PoolTable({ pools, mayManage, onAsk }: PoolTableProps) {
  const t = useTranslations("workers.pools");
  const columns: readonly Column<PoolView>[] = [
    {
      key: "name",
      head: t("name"),
      cell: (row) => (
        <span className="flex min-w-0 flex-col">
          <span className="truncate font-medium font-mono">{row.name}</span>
          {row.slots === null ? <span className="text-state-failed text-meta">{t("missing")}</span> : null}
          {row.description === "" ? null : <span className="truncate text-ink-2 text-meta">{row.description}</span>}
        </span>
      ),
    },
    {
      key: "use",
      head: t("use"),
      width: "6.5rem",
      align: "end",
      cell: (row) => (
        <span className={cn("tabular-nums", isFull(row) && "font-medium text-state-queued")}>
          {row.slots === null ? "–" : t("of", { taken: row.taken, slots: row.slots })}
        </span>
      ),
    },
    {
      key: "waiting",
      head: t("waiting"),
      width: "6rem",
      align: "end",
      cell: (row) => (row.waiting === 0 ? <span className="text-ink-3">{"0"}</span> : row.waiting),
    },
    { key: "pipelines", head: t("pipelines"), from: "md", cell: (row) => <Names names={row.pipelines} /> },
  ];
  const acts: Column<PoolView> = {
    key: "acts",
    head: "",
    name: t("acts"),
    width: "5.5rem",
    align: "end",
    cell: (row) => (
      <span className="flex justify-end gap-1">
        <IconButton
          size="sm"
          label={t(row.slots === null ? "addName" : "changeName", { pool: row.name })}
          icon={row.slots === null ? <Plus size={13} aria-hidden="true" /> : <Pencil size={13} aria-hidden="true" />}
          onClick={() => onAsk({ kind: "save", pool: row })}
        />
        {row.slots === null ? null : (
          <IconButton
            size="sm"
            label={t("deleteName", { pool: row.name })}
            icon={<X size={13} aria-hidden="true" />}
            onClick={() => onAsk({ kind: "delete", pool: row })}
          />
        )}
      </span>
    ),
  };
  return (
    <Table
      label={t("title")}
      columns={mayManage ? [...columns, acts] : columns}
      rows={pools}
      keyOf={(row) => row.name}
      empty={
        <EmptyState compact title={t("empty")}>
          {t("emptyBody")}
        </EmptyState>
      }
    />
  );
}

const isFull = ({ slots, taken, waiting }: PoolView): boolean => slots !== null && taken >= slots && waiting > 0;

const Names = ({ names }: { names: readonly string[] }) => (
  <span className="block truncate text-ink-2" title={names.join(", ")}>
    {names.join(", ")}
  </span>
);
