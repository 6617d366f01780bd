import { cn } from "./class-names";

/** A key or a sequence of keys, such as `⌘K` or `g p`. */
export function Kbd({ keys, className }: { keys: string; className?: string }) {
  return (
    <span className={cn("inline-flex items-center gap-0.5", className)}>
      {keys.split(" ").map((key, index) => (
        <kbd
          // The same key may stand twice in a sequence.
          // biome-ignore lint/suspicious/noArrayIndexKey: a sequence of keys has no other identity and never reorders
          key={index}
          className="min-w-4 rounded-sm border border-line-strong px-1 text-center font-mono text-[11px] text-ink-3 leading-4"
        >
          {key}
        </kbd>
      ))}
    </span>
  );
}
