"use client";
import { cn } from "./class-names";
import { CopyButton } from "./copy-button";

export interface MonoProps {
  children: string;
  /** Ids are long: shows the last eight characters, and the whole on hover. */
  short?: boolean;
  copy?: boolean;
  className?: string;
}

/** Ids, cron expressions, keys, hosts: in text or in a table. */
export function Mono({ children, short, copy, className }: MonoProps) {
  const code = (
    <code title={short ? children : undefined} className={cn("font-mono text-[0.94em]", short && "whitespace-nowrap", className)}>
      {short && children.length > 10 ? `…${children.slice(-8)}` : children}
    </code>
  );
  if (!copy) return code;
  return (
    <span className="inline-flex min-w-0 items-center gap-0.5">
      {code}
      <CopyButton text={children} />
    </span>
  );
}
