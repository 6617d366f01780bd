import type { ReactNode } from "react";

/** Over a list of settings: what it is for, and the way to one more. */
export function TabTop({ children, action }: { children: ReactNode; action?: ReactNode }) {
  return (
    <div className="flex flex-wrap items-start gap-x-6 gap-y-3 px-4 py-4 md:px-6">
      <div className="min-w-0 flex-1 basis-72">
        <p className="max-w-prose text-ink-2 text-table">{children}</p>
      </div>
      {action ? <div className="flex flex-wrap items-center gap-2">{action}</div> : null}
    </div>
  );
}
