import type { CSSProperties, ReactNode } from "react";
import { cn } from "./class-names";

/** Pixels of a card on a canvas; layouts reckon with it. */
export const NODE_CARD = { width: 220, height: 64 } as const;

export interface NodeCardProps {
  /** What kind of node it is. */
  icon: ReactNode;
  title: ReactNode;
  /** One line of what it calls, or how it stands. */
  line?: ReactNode;
  /** At the right end of the title: its state, or a problem. */
  mark?: ReactNode;
  /** At the right end of the line: attempts, a hold. */
  notes?: ReactNode;
  /** A CSS colour such as `var(--state-failed)`: the edge that tells the state from afar. */
  color?: string;
  /** How that edge is drawn, so that grey print tells states apart too. */
  edge?: "solid" | "hollow" | "hatched";
  selected?: boolean;
  /** Not run, or not reached yet: drawn with a dashed border. */
  dashed?: boolean;
  /** As wide as what it lies in, for lists. */
  wide?: boolean;
  className?: string;
}

const EDGE = { solid: "bg-current", hollow: "border border-current", hatched: "hatch bg-current" } as const;

/** A node as it looks on every canvas and in every sequence. */
export function NodeCard({ icon, title, line, mark, notes, color, edge = "solid", selected, dashed, wide, className }: NodeCardProps) {
  const size: CSSProperties = { height: NODE_CARD.height, width: wide ? "100%" : NODE_CARD.width };
  return (
    <div
      style={size}
      className={cn(
        "relative flex items-stretch overflow-hidden rounded-md border border-line-strong bg-raised text-left",
        dashed && "border-dashed bg-panel",
        selected && "border-ink outline outline-1 outline-ink",
        className,
      )}
    >
      {color ? <span aria-hidden="true" style={{ color }} className={cn("absolute inset-y-0 left-0 w-[5px]", EDGE[edge])} /> : null}
      <span className={cn("flex w-10 shrink-0 items-center justify-center border-r text-ink-2", color && "w-11 pl-1")}>{icon}</span>
      <span className="flex min-w-0 flex-1 flex-col justify-center gap-0.5 px-2.5">
        <span className="flex items-center gap-1.5">
          <span className="min-w-0 flex-1 truncate font-medium text-ink text-table">{title}</span>
          {mark}
        </span>
        <span className="flex min-w-0 items-center gap-1.5 text-ink-2 text-meta">
          <span className="min-w-0 flex-1 truncate">{line}</span>
          {notes}
        </span>
      </span>
    </div>
  );
}
