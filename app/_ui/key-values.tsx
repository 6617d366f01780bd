import type { ReactNode } from "react";
import { cn } from "./class-names";

export interface KeyValue {
  key: string;
  label: ReactNode;
  value: ReactNode;
  mono?: boolean;
}

/** Facts of one thing: the labels align, the values wrap. */
export function KeyValues({ items, className }: { items: readonly KeyValue[]; className?: string }) {
  return (
    <dl className={cn("grid grid-cols-[minmax(6rem,max-content)_minmax(0,1fr)] gap-x-4 text-table", className)}>
      {items.map((item) => (
        <div key={item.key} className="col-span-2 grid grid-cols-subgrid items-baseline border-b py-1.5 last:border-b-0">
          <dt className="text-ink-3">{item.label}</dt>
          <dd className={cn("min-w-0 break-words text-ink", item.mono && "break-all font-mono text-meta leading-5")}>{item.value}</dd>
        </div>
      ))}
    </dl>
  );
}
