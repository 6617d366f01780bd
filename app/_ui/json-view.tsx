"use client";
import { ChevronRight } from "lucide-react";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { cn } from "./class-names";
import { CopyButton } from "./copy-button";

const PAGE = 100;
const LONG_TEXT = 600;

export interface JsonViewProps {
  value: unknown;
  label: string;
  /** Levels that are open at first. */
  depth?: number;
  maxHeight?: string;
  className?: string;
}

/** A value as a tree. All of it is text nodes: whatever a downstream service answered, nothing of it is interpreted. */
export function JsonView({ value, label, depth = 2, maxHeight = "28rem", className }: JsonViewProps) {
  return (
    <section aria-label={label} className={cn("relative min-w-0 rounded-md border bg-sunk", className)}>
      <div className="absolute top-1 right-1 z-10">
        <CopyButton text={JSON.stringify(value, null, 2) ?? ""} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <div tabIndex={0} style={{ maxHeight }} className="overflow-auto px-3 py-2 font-mono text-meta leading-5 outline-offset-[-2px]">
        <JsonNode value={value} name={null} depth={depth} />
      </div>
    </section>
  );
}

function JsonNode({ value, name, depth }: { value: unknown; name: string | null; depth: number }) {
  if (Array.isArray(value) || (value !== null && typeof value === "object")) {
    const entries = Array.isArray(value) ? value.map((item, index): [string, unknown] => [String(index), item]) : Object.entries(value);
    return <JsonBranch entries={entries} list={Array.isArray(value)} name={name} depth={depth} />;
  }
  return (
    <div className="flex gap-1.5 pl-4">
      <Name name={name} />
      <JsonLeaf value={value} />
    </div>
  );
}

const Name = ({ name }: { name: string | null }) => (name === null ? null : <span className="shrink-0 text-ink-3">{`${name}:`}</span>);

interface BranchProps {
  entries: [string, unknown][];
  list: boolean;
  name: string | null;
  depth: number;
}

function JsonBranch({ entries, list, name, depth }: BranchProps) {
  const t = useTranslations("ui");
  const [open, setOpen] = useState(depth > 0);
  const [shown, setShown] = useState(PAGE);
  const [left, right] = list ? ["[", "]"] : ["{", "}"];
  if (entries.length === 0) {
    return (
      <div className="flex gap-1.5 pl-4">
        <Name name={name} />
        <span className="text-ink-3">{left + right}</span>
      </div>
    );
  }
  return (
    <div>
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex items-center gap-0.5 rounded-sm hover:bg-hover"
      >
        <ChevronRight size={12} aria-hidden="true" className={cn("mr-px w-3.5 shrink-0 text-ink-3", open && "rotate-90")} />
        <span className="flex gap-1.5">
          <Name name={name} />
          <span className="text-ink-3">{open ? left : `${left} ${t(list ? "items" : "keys", { n: entries.length })} ${right}`}</span>
        </span>
      </button>
      {open ? (
        <div className="ml-[7px] border-line border-l pl-2">
          {entries.slice(0, shown).map(([key, item]) => (
            <JsonNode key={key} name={key} value={item} depth={depth - 1} />
          ))}
          {entries.length > shown ? (
            <button type="button" onClick={() => setShown(shown + PAGE)} className="ml-4 text-ink-2 underline underline-offset-2">
              {t("showMore", { n: Math.min(PAGE, entries.length - shown) })}
            </button>
          ) : null}
        </div>
      ) : null}
    </div>
  );
}

function JsonLeaf({ value }: { value: unknown }) {
  const t = useTranslations("ui");
  const [whole, setWhole] = useState(false);
  if (typeof value !== "string") return <span className="text-ink">{value === undefined ? "undefined" : String(value)}</span>;
  const cut = !whole && value.length > LONG_TEXT;
  return (
    <span className="min-w-0 whitespace-pre-wrap break-words text-ink">
      <span className="text-ink-3">{'"'}</span>
      {cut ? `${value.slice(0, LONG_TEXT)}…` : value}
      <span className="text-ink-3">{'"'}</span>
      {cut ? (
        <button type="button" onClick={() => setWhole(true)} className="ml-1.5 text-ink-2 underline underline-offset-2">
          {t("showText")}
        </button>
      ) : null}
    </span>
  );
}
