"use client";
import { useLocale, useTranslations } from "next-intl";
import { type ReactNode, useState } from "react";
import { Button } from "@/app/_ui/button";
import { Link } from "@/app/_ui/link";
import { Panel } from "@/app/_ui/panel";
import { Progress } from "@/app/_ui/progress";
import { Time, ZoneNote } from "@/app/_ui/time";
import type { CauseDetails } from "../../_causes/views";

interface Share {
  readonly key: string;
  readonly count: number;
  readonly name: ReactNode;
}

/** What the failures of a burst have in common, dimension by dimension. */
export function CauseShares({ cause }: { cause: CauseDetails }) {
  const t = useTranslations("causes");
  const { others } = cause;
  const inPipelines = (lines: CauseDetails["nodes"], prefix: string) =>
    lines.map(({ value, count, pipeline }) => ({
      key: `${pipeline.id}/${value}`,
      count,
      name: (
        <>
          <Link prefetch={false} href={`/pipelines/${pipeline.id}`}>
            {pipeline.title ?? pipeline.id}
          </Link>{" "}
          <span className="font-mono text-meta">{`${prefix}${value}`}</span>
        </>
      ),
    }));
  const plain = (lines: CauseDetails["keys"]) =>
    lines.map(({ value, count }) => ({ key: value, count, name: <span className="break-all font-mono text-meta">{value || "–"}</span> }));
  return (
    <div className="flex min-w-0 flex-col gap-6">
      <Shares
        title={t("shares.stack")}
        total={cause.total}
        other={others.stack}
        lines={cause.stacks.map(({ value, count, message }) => ({
          key: value,
          count,
          name: (
            <>
              <span className="font-mono text-meta">{value === "" ? t("noStack") : value.slice(0, 16)}</span>
              {message === null ? null : <span className="block break-words text-ink-2 text-meta">{message}</span>}
            </>
          ),
        }))}
      />
      <Shares title={t("shares.key")} note={t("shares.keyNote")} total={cause.total} other={others.key} lines={plain(cause.keys)} />
      <Shares title={t("shares.node")} total={cause.total} other={others.node} lines={inPipelines(cause.nodes, "")} />
      <Shares title={t("shares.version")} total={cause.total} other={others.version} lines={inPipelines(cause.versions, "v")} />
      <Shares title={t("shares.worker")} total={cause.total} other={others.worker} lines={plain(cause.workers)} />
      <Shares
        title={t("shares.created")}
        note={<ZoneNote />}
        total={cause.total}
        other={others.created}
        lines={cause.created.map(({ value, count }) => ({ key: value, count, name: <Time bare at={value} precision="minute" /> }))}
      />
    </div>
  );
}

interface SharesProps {
  title: string;
  note?: ReactNode;
  total: number;
  lines: readonly Share[];
  /** Of values without a line. */
  other: number;
}

const FIRST = 5;

function Shares({ title, note, total, lines, other }: SharesProps) {
  const t = useTranslations("causes");
  const format = new Intl.NumberFormat(useLocale(), { style: "percent", maximumFractionDigits: 1 });
  const [isAll, setAll] = useState(false);
  if (lines.length === 0) return null;
  const shown = isAll ? lines : lines.slice(0, FIRST);
  return (
    <Panel
      title={title}
      note={note}
      actions={
        lines.length > FIRST ? (
          <Button size="sm" onClick={() => setAll(!isAll)}>
            {isAll ? t("fewer") : t("allOf", { n: lines.length })}
          </Button>
        ) : null
      }
    >
      <ul className="flex flex-col text-table">
        {shown.map(({ key, count, name }) => (
          <li key={key} className="grid grid-cols-[minmax(0,1fr)_4rem_6.5rem] items-center gap-3 border-b py-1.5 last:border-b-0">
            <span className="min-w-0">{name}</span>
            <Progress value={count} max={Math.max(1, total)} label={t("shareOf", { share: format.format(count / Math.max(1, total)) })} />
            <span className="text-right tabular-nums">
              {count} <span className="text-ink-3 text-meta">{format.format(count / Math.max(1, total))}</span>
            </span>
          </li>
        ))}
        {other === 0 ? null : (
          <li className="flex py-1.5 text-ink-3">
            <span>{t("others")}</span>
            <span className="ml-auto tabular-nums">{other}</span>
          </li>
        )}
      </ul>
    </Panel>
  );
}
