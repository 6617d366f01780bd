import type { ReactNode } from "react";
import { cn } from "./class-names";

export interface PanelProps {
  title?: ReactNode;
  /** Beside the title: a number or a quiet word. */
  note?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
  className?: string;
  bodyClassName?: string;
}

/** A named part of a page, set off by a rule over it and not by a box around it. */
export function Panel({ title, note, actions, children, className, bodyClassName }: PanelProps) {
  return (
    <section className={cn("flex min-w-0 flex-col border-line-strong border-t", className)}>
      {title || actions ? (
        <div className="flex h-9 shrink-0 items-center gap-2">
          {title ? <h2 className="max-w-full shrink-0 truncate font-semibold text-table">{title}</h2> : null}
          {note ? <span className="min-w-0 truncate text-ink-3 text-meta">{note}</span> : null}
          {actions ? <div className="ml-auto flex shrink-0 items-center gap-1">{actions}</div> : null}
        </div>
      ) : null}
      <div className={cn("min-w-0", bodyClassName)}>{children}</div>
    </section>
  );
}
