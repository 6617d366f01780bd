"use client";
import { ArrowRight } from "lucide-react";
import { useTranslations } from "next-intl";
import { cn } from "@/app/_ui/class-names";

interface ResourceChipsProps {
  reads: readonly string[];
  writes: readonly string[];
  /** Presses of a chip: what else touches it? */
  onResource: (resource: string) => void;
  wrap?: boolean;
}

/** What a pipeline reads and what it writes, as `kind:name`. */
export function ResourceChips({ reads, writes, onResource, wrap }: ResourceChipsProps) {
  const t = useTranslations("pipelines");
  if (reads.length + writes.length === 0) return <span className="text-ink-3">{"–"}</span>;
  const chip = (kind: "reads" | "writes") => (name: string) => (
    <button
      key={`${kind} ${name}`}
      type="button"
      title={t(kind === "reads" ? "touches.reads" : "touches.writes", { name })}
      onClick={() => onResource(name)}
      className="h-5 min-w-0 max-w-36 shrink truncate rounded-sm border border-line-strong px-1 font-mono text-[11px] text-ink-2 leading-[18px] hover:border-edge hover:text-ink"
    >
      {name}
    </button>
  );
  return (
    <span className={cn("flex min-w-0 items-center gap-1", wrap ? "flex-wrap" : "overflow-hidden")}>
      {reads.map(chip("reads"))}
      <ArrowRight size={12} role="img" aria-label={t("touches.arrow")} className="shrink-0 text-ink-3" />
      {writes.map(chip("writes"))}
    </span>
  );
}
