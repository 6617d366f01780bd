"use client";
import type { ComponentProps, ReactNode } from "react";
import { cn } from "./class-names";
import { useFieldControl } from "./field";

export const controlLook =
  "w-full min-w-0 rounded-md border border-edge bg-raised text-ink text-table placeholder:text-ink-3 transition-colors duration-100 hover:border-ink-3 focus-visible:border-ink focus-visible:outline-1 focus-visible:outline-offset-0 aria-invalid:border-state-failed disabled:cursor-not-allowed disabled:bg-sunk disabled:text-ink-3 [&[readonly]]:bg-sunk";

const HEIGHT = { sm: "h-6 px-2", md: "h-7 px-2 pointer-coarse:h-10", lg: "h-9 px-3 text-body pointer-coarse:h-11" } as const;

export interface InputProps extends Omit<ComponentProps<"input">, "size"> {
  size?: keyof typeof HEIGHT;
  /** Ids, cron expressions, URLs, templates. */
  mono?: boolean;
  /** Inside the box, at its start or end. */
  before?: ReactNode;
  after?: ReactNode;
}

export function Input({ size = "md", mono, before, after, className, type = "text", ...rest }: InputProps) {
  const links = useFieldControl(rest);
  const input = (
    <input
      type={type}
      {...rest}
      {...links}
      className={cn(controlLook, HEIGHT[size], mono && "font-mono", before && "pl-7", after && "pr-9", !before && !after && className)}
    />
  );
  if (!before && !after) return input;
  return (
    <div className={cn("relative min-w-0", className)}>
      {before ? <span className="pointer-events-none absolute inset-y-0 left-2 flex items-center text-ink-3">{before}</span> : null}
      {input}
      {after ? <span className="absolute inset-y-0 right-1 flex items-center text-ink-3">{after}</span> : null}
    </div>
  );
}
