"use client";
import { useSyncExternalStore } from "react";
import { cn } from "./class-names";

const never = () => () => undefined;
const onMac = () => /Mac|iPhone|iPad/.test(navigator.userAgent);

/** A key or a sequence of keys: `g p`, or `mod+k` for ⌘K on a Mac and Ctrl K elsewhere. */
export function Kbd({ keys, className }: { keys: string; className?: string }) {
  const mac = useSyncExternalStore(never, onMac, () => false);
  const shown = keys.replace(/mod\+(\w)/g, (_, key: string) => (mac ? `⌘${key.toUpperCase()}` : `Ctrl ${key.toUpperCase()}`));
  return (
    <span className={cn("inline-flex shrink-0 items-center gap-0.5", className)}>
      {shown.split(" ").map((key, index) => (
        <kbd
          // biome-ignore lint/suspicious/noArrayIndexKey: a key may stand twice in a sequence, which never reorders
          key={index}
          className="min-w-4 rounded-sm border border-line-strong px-1 text-center font-mono text-[11px] text-ink-3 leading-4"
        >
          {key}
        </kbd>
      ))}
    </span>
  );
}
