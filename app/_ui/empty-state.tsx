import type { ReactNode } from "react";
import { cn } from "./class-names";

export interface EmptyStateProps {
  title: ReactNode;
  /** Why it is empty, in a sentence. */
  children?: ReactNode;
  /** The ways out of it. */
  actions?: ReactNode;
  /** Inside a panel or a table: lower. */
  compact?: boolean;
  className?: string;
}

export function EmptyState({ title, children, actions, compact, className }: EmptyStateProps) {
  return (
    <div className={cn("flex flex-col items-start gap-3 px-4 md:px-6", compact ? "py-6" : "py-12", className)}>
      {compact ? null : <EmptyOrbit />}
      <div className="max-w-prose">
        <p className="font-semibold text-body">{title}</p>
        {children ? <div className="mt-0.5 text-ink-2 text-table">{children}</div> : null}
      </div>
      {actions ? <div className="flex flex-wrap gap-2">{actions}</div> : null}
    </div>
  );
}

/** An orbit with nothing on it yet. */
function EmptyOrbit() {
  return (
    <svg viewBox="0 0 96 40" width="96" height="40" fill="none" aria-hidden="true" className="mb-1 text-line-strong">
      <ellipse cx="48" cy="20" rx="46" ry="17" stroke="currentColor" strokeDasharray="2 4" strokeWidth="1.5" strokeLinecap="round" />
      <circle cx="48" cy="20" r="6.5" stroke="currentColor" strokeWidth="1.5" />
      <circle cx="17" cy="7.6" r="3" className="fill-ground stroke-current" strokeWidth="1.5" />
    </svg>
  );
}
