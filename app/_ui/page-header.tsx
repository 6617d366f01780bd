import type { ReactNode } from "react";
import { cn } from "./class-names";

export interface PageHeaderProps {
  title: ReactNode;
  /** Before the title: the state of what the page is about. */
  mark?: ReactNode;
  /** Over the title: where this lies, as links. */
  trail?: ReactNode;
  /** Under the title, in one line: owner, version, since when. */
  meta?: ReactNode;
  /** At the right; the one that matters most stands last. */
  actions?: ReactNode;
  /** Tab links, flush with the header's lower edge. */
  tabs?: ReactNode;
  className?: string;
}

export function PageHeader({ title, mark, trail, meta, actions, tabs, className }: PageHeaderProps) {
  return (
    <header className={cn("flex flex-col gap-3 px-4 pt-4 md:px-6", !tabs && "pb-4", className)}>
      <div className="flex flex-wrap items-start gap-x-6 gap-y-3">
        <div className="min-w-0 flex-1 basis-72">
          {trail ? <div className="mb-1.5 text-ink-3 text-meta">{trail}</div> : null}
          <div className="flex min-h-7 items-center gap-2.5">
            {mark}
            <h1 className="min-w-0 break-words font-semibold text-page tracking-[-0.01em]">{title}</h1>
          </div>
          {meta ? <div className="mt-0.5 flex flex-wrap items-center gap-x-3 gap-y-1 text-ink-2 text-table">{meta}</div> : null}
        </div>
        {actions ? <div className="flex flex-wrap items-center gap-2">{actions}</div> : null}
      </div>
      {tabs}
    </header>
  );
}
