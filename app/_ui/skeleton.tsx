import { cn } from "./class-names";

/** Holds the place of what is loading; it says nothing to a screen reader, the region around it does. */
export const Skeleton = ({ className }: { className?: string }) => (
  <span aria-hidden="true" className={cn("block h-3 animate-pulse rounded-sm bg-hover", className)} />
);

const WIDTHS = ["w-2/5", "w-3/5", "w-1/3", "w-1/2", "w-3/4"] as const;

/** Rows of a table that is on its way, as high as the rows to come, so that nothing jumps. */
export function SkeletonRows({ rows = 8, label }: { rows?: number; label: string }) {
  return (
    <div role="status" aria-label={label}>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have no identity
        <div key={row} className="row-h flex items-center gap-6 border-b px-3">
          <Skeleton className="size-3 shrink-0" />
          <Skeleton className={WIDTHS[row % WIDTHS.length]} />
          <Skeleton className="ml-auto w-16" />
        </div>
      ))}
    </div>
  );
}
