import type { ReactNode } from "react";
import { cn } from "./class-names";

/** Neutral unless it speaks of something's condition: colour is for that alone. */
export const TONES = {
  neutral: "text-ink-2",
  good: "text-state-success",
  bad: "text-state-failed",
  warn: "text-state-retrying",
  info: "text-state-running",
} as const;
export type Tone = keyof typeof TONES;

export interface BadgeProps {
  children: ReactNode;
  tone?: Tone;
  icon?: ReactNode;
  /** Keys, versions, labels, table names. */
  mono?: boolean;
  title?: string;
  className?: string;
}

export function Badge({ children, tone = "neutral", icon, mono, title, className }: BadgeProps) {
  return (
    <span
      title={title}
      className={cn(
        "inline-flex h-5 min-w-0 max-w-full items-center gap-1 rounded-sm border border-current/30 px-1.5 text-meta",
        tone === "neutral" ? "border-line-strong" : "tint",
        TONES[tone],
        mono && "font-mono",
        className,
      )}
    >
      {icon}
      <span className="truncate">{children}</span>
    </span>
  );
}
