"use client";
import { useQuery } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import { Drawer } from "@/app/_ui/drawer";
import { KeyValues } from "@/app/_ui/key-values";
import { Link } from "@/app/_ui/link";
import { Progress } from "@/app/_ui/progress";
import { Time } from "@/app/_ui/time";
import { QueryState } from "../../_query/query-state";
import { ReleaseDialog, StopDialog } from "./release-dialog";
import { ValveBadge } from "./valve-columns";
import type { ValveRow } from "./views";

interface ValveDrawerProps {
  projectId: string;
  valve: ValveRow;
  mayManage: boolean;
  onClose: () => void;
}

/** One valve whole: what it holds, and how far its release has come. */
export function ValveDrawer({ projectId, valve, mayManage, onClose }: ValveDrawerProps) {
  const t = useTranslations("valves");
  const [act, setAct] = useState<"release" | "stop" | null>(null);
  const isOpen = valve.state === "closed" || valve.state === "releasing";
  return (
    <>
      <Drawer
        open
        onOpen={(open) => {
          if (!open) onClose();
        }}
        title={t("drawer.title", { no: valve.no, label: valve.label })}
        footer={
          mayManage && isOpen ? (
            <>
              {valve.state === "releasing" ? <Button onClick={() => setAct("stop")}>{t("stop.verb")}</Button> : null}
              <Button look="primary" onClick={() => setAct("release")}>
                {valve.state === "releasing" ? t("release.again") : t("release.verb")}
              </Button>
            </>
          ) : undefined
        }
      >
        <div className="flex flex-col gap-6">
          <p className="text-body text-ink-2">{t(`explain.${valve.state}`)}</p>
          {valve.state === "releasing" ? <ReleaseProgress valve={valve} /> : null}
          <Facts valve={valve} />
          {valve.held > 0 ? <Held projectId={projectId} valve={valve} /> : null}
        </div>
      </Drawer>
      {act === "release" ? <ReleaseDialog valve={valve} onClose={() => setAct(null)} /> : null}
      {act === "stop" ? <StopDialog valve={valve} onClose={() => setAct(null)} /> : null}
    </>
  );
}

function ReleaseProgress({ valve }: { valve: ValveRow }) {
  const t = useTranslations("valves");
  const text = t("progress", { released: valve.released, held: valve.held, rate: valve.rate ?? 0 });
  return (
    <div className="flex flex-col gap-1.5">
      <Progress label={text} value={valve.released} max={Math.max(1, valve.released + valve.held)} />
      <p className="text-ink-2 text-table tabular-nums">{text}</p>
    </div>
  );
}

function Facts({ valve }: { valve: ValveRow }) {
  const t = useTranslations("valves");
  return (
    <KeyValues
      items={[
        { key: "state", label: t("columns.state"), value: <ValveBadge state={valve.state} /> },
        { key: "kind", label: t("columns.what"), value: `${t(`kind.${valve.kind}`)} · ${valve.label}` },
        { key: "why", label: t("columns.why"), value: valve.reason },
        { key: "by", label: t("columns.by"), value: valve.by },
        { key: "since", label: t("columns.since"), value: <Time at={valve.since} full /> },
        ...(valve.endedAt ? [{ key: "end", label: t("drawer.ended"), value: <Time at={valve.endedAt} full /> }] : []),
        { key: "held", label: t("columns.held"), value: String(valve.held) },
        { key: "released", label: t("columns.released"), value: String(valve.released) },
        { key: "purged", label: t("drawer.purged"), value: String(valve.purged) },
      ]}
    />
  );
}

function Held({ projectId, valve }: { projectId: string; valve: ValveRow }) {
  const t = useTranslations("valves");
  const trpc = useTRPC();
  const held = useQuery(trpc.valves.held.queryOptions({ projectId, no: valve.no }));
  return (
    <section>
      <h3 className="mb-2 font-semibold text-table">{t("drawer.held")}</h3>
      <QueryState query={held}>
        {(nodes) => (
          <ol className="flex flex-col text-table">
            {nodes.map(({ runId, key, since }) => (
              <li key={`${runId}/${key}`} className="flex items-baseline gap-2 border-b py-1.5 last:border-b-0">
                <Link prefetch={false} href={`/runs/${runId}?node=${key}`} className="min-w-0 truncate font-mono text-meta">
                  {`${key} · ${runId}`}
                </Link>
                <Time bare at={since} className="ml-auto shrink-0 text-ink-3 text-meta" />
              </li>
            ))}
            {valve.held > nodes.length ? (
              <li className="py-1.5 text-ink-3 text-meta">{t("drawer.others", { n: valve.held - nodes.length })}</li>
            ) : null}
          </ol>
        )}
      </QueryState>
    </section>
  );
}
