"use client";
import { ArrowRight } from "lucide-react";
import { useTranslations } from "next-intl";
import { cn } from "@/app/_ui/class-names";

interface ResourceProps {
  reads: readonly string[];
  writes: readonly string[];
  /** Presses of a chip: what else touches it? */
  onResource: (resource: string) => void;
}

type Kind = "reads" | "writes";

function Chip({ kind, name, onResource }: { kind: Kind; name: string; onResource: (resource: string) => void }) {
  const t = useTranslations("pipelines.touches");
  return (
    <button
      type="button"
      title={t(kind, { name })}
      onClick={() => onResource(name)}
      className="h-[18px] min-w-0 max-w-36 truncate rounded-sm border border-line-strong px-1 font-mono text-[11px] text-ink-2 leading-4 hover:border-edge hover:text-ink"
    >
      {name}
    </button>
  );
}

/** What a pipeline reads and what it writes, as `kind:name`. */
export function ResourceChips({ reads, writes, onResource }: ResourceProps) {
  const t = useTranslations("pipelines.touches");
  if (reads.length + writes.length === 0) return <span className="text-ink-3">{"–"}</span>;
  return (
    <span className="flex min-w-0 flex-wrap items-center gap-1">
      {reads.map((name) => (
        <Chip key={`r ${name}`} kind="reads" name={name} onResource={onResource} />
      ))}
      <ArrowRight size={12} role="img" aria-label={t("arrow")} className="shrink-0 text-ink-3" />
      {writes.map((name) => (
        <Chip key={`w ${name}`} kind="writes" name={name} onResource={onResource} />
      ))}
    </span>
  );
}

const IN_A_LINE = 2;

/** The same in a row of a table: a line for what it reads, one for what it writes, each with the first two. */
export function ResourceLines({ reads, writes, onResource }: ResourceProps) {
  if (reads.length + writes.length === 0) return <span className="text-ink-3">{"–"}</span>;
  return (
    <span className="flex min-w-0 flex-col gap-0.5">
      {reads.length > 0 ? <Line kind="reads" names={reads} onResource={onResource} /> : null}
      {writes.length > 0 ? <Line kind="writes" names={writes} onResource={onResource} /> : null}
    </span>
  );
}

function Line({ kind, names, onResource }: { kind: Kind; names: readonly string[]; onResource: (resource: string) => void }) {
  const t = useTranslations("pipelines.touches");
  const rest = names.slice(IN_A_LINE);
  return (
    <span className="flex min-w-0 items-center gap-1">
      <ArrowRight size={11} role="img" aria-label={t("arrow")} className={cn("shrink-0 text-ink-3", kind === "reads" && "invisible")} />
      {names.slice(0, IN_A_LINE).map((name) => (
        <Chip key={name} kind={kind} name={name} onResource={onResource} />
      ))}
      {rest.length > 0 ? <span title={rest.join("\n")} className="shrink-0 text-ink-3 text-meta">{`+${rest.length}`}</span> : null}
    </span>
  );
}
