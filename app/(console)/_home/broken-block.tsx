"use client";
import Link from "next/link";
import { useTranslations } from "next-intl";
import { CrossedSquare, Tick } from "@/app/_status/glyphs";
import { Button } from "@/app/_ui/button";
import { spanText } from "@/app/_ui/instant";
import { Link as TextLink } from "@/app/_ui/link";
import { Panel } from "@/app/_ui/panel";
import type { BrokenLine } from "./views";

const SHOWN = 6;

/** A line per pipeline and code, the most first: what it is, how long, whose, and the way to the buttons. */
export function BrokenBlock({ broken }: { broken: readonly BrokenLine[] }) {
  const t = useTranslations("home.broken");
  const rest = broken.length - SHOWN;
  return (
    <Panel
      title={t("title")}
      note={broken.length === 0 ? null : t("lead")}
      actions={rest > 0 ? <TextLink href="/runs?state=paused">{t("more", { n: rest })}</TextLink> : null}
    >
      {broken.length === 0 ? (
        <p className="flex items-center gap-2 py-2 text-ink-2 text-table">
          <span className="text-state-success">
            <Tick size={12} />
          </span>
          {t("none")}
        </p>
      ) : (
        <ul>
          {broken.slice(0, SHOWN).map((line) => (
            <Line key={`${line.pipeline.id} ${line.code}`} line={line} />
          ))}
        </ul>
      )}
    </Panel>
  );
}

function Line({ line }: { line: BrokenLine }) {
  const t = useTranslations("home.broken");
  const { pipeline } = line;
  return (
    <li className="flex items-center gap-3 border-b py-2 last:border-b-0">
      <span className="shrink-0 text-state-failed">
        <CrossedSquare size={16} />
      </span>
      <span className="min-w-0 flex-1">
        <span className="flex min-w-0 items-baseline gap-2">
          <TextLink href={`/pipelines/${pipeline.id}`} className="truncate font-medium text-body">
            {pipeline.title}
          </TextLink>
          <code className="min-w-0 truncate font-mono text-meta text-state-failed">{line.code ?? t("noCode")}</code>
        </span>
        <span className="block truncate text-ink-2 text-meta" title={line.message ?? undefined}>
          <span className="font-mono">{line.nodeKey}</span>
          {line.message ? ` · ${line.message}` : ""}
        </span>
      </span>
      <span className="shrink-0 text-right text-meta max-sm:hidden">
        <span className="block">
          {t("runs", { n: line.runs })}
          {" · "}
          {t("nodes", { n: line.nodes })}
        </span>
        <span className="block text-ink-3">
          {t("since", { span: spanText(line.ageMs) })}
          {" · "}
          {pipeline.owner}
        </span>
      </span>
      <Button asChild size="sm">
        <Link href={`/runs/${line.runId}`} aria-label={t("actLabel", { pipeline: pipeline.title })}>
          {t("act")}
        </Link>
      </Button>
    </li>
  );
}
