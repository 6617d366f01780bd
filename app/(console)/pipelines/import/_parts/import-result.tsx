"use client";
import Link from "next/link";
import { useTranslations } from "next-intl";
import { Tick } from "@/app/_status/glyphs";
import { Button } from "@/app/_ui/button";
import { Link as TextLink } from "@/app/_ui/link";
import { Panel } from "@/app/_ui/panel";
import type { ImportResult } from "./views";

interface ImportResultProps {
  result: ImportResult;
  onAgain: () => void;
}

/** What was made of which line, and what was here already. */
export function ImportDone({ result, onAgain }: ImportResultProps) {
  const t = useTranslations("imports.done");
  const { created, existing } = result;
  return (
    <div className="flex flex-col gap-6 px-4 pb-8 md:px-6">
      <p role="status" className="flex items-start gap-3 border-line-strong border-t pt-5">
        <span className="mt-0.5 text-state-success">
          <Tick size={20} />
        </span>
        <span>
          <span className="block font-semibold text-title">{t("created", { n: created.length })}</span>
          <span className="block text-body text-ink-2">{t("existing", { n: existing.length })}</span>
        </span>
      </p>
      <div className="flex gap-2">
        <Button asChild look="primary">
          <Link href="/pipelines?q=crontab">{t("open")}</Link>
        </Button>
        <Button onClick={onAgain}>{t("again")}</Button>
      </div>
      <Made title={t("createdTitle")} lines={created} />
      <Made title={t("existingTitle")} lines={existing} />
    </div>
  );
}

function Made({ title, lines }: { title: string; lines: ImportResult["created"] }) {
  const t = useTranslations("imports.done");
  if (lines.length === 0) return null;
  return (
    <Panel title={title} note={String(lines.length)}>
      <ul className="grid gap-x-6 sm:grid-cols-2 lg:grid-cols-3">
        {lines.map((each) => (
          <li key={`${each.line} ${each.pipelineId}`} className="flex h-8 min-w-0 items-center gap-3 border-b text-table">
            <span className="shrink-0 text-ink-3 text-meta tabular-nums">{t("line", { line: each.line })}</span>
            <TextLink href={`/pipelines/${each.pipelineId}`} className="min-w-0 truncate font-mono">
              {each.name}
            </TextLink>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
