"use client";
import { Tooltip as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { Kbd } from "./kbd";

/** Stands once, at the root: after one tooltip the next ones open without delay. */
export function TooltipGround({ children }: { children: ReactNode }) {
  return (
    <Radix.Provider delayDuration={350} skipDelayDuration={200}>
      {children}
    </Radix.Provider>
  );
}

export interface TooltipProps {
  label: ReactNode;
  /** One element that can take focus. */
  children: ReactNode;
  shortcut?: string;
  side?: "top" | "right" | "bottom" | "left";
  align?: "start" | "center" | "end";
}

export function Tooltip({ label, children, shortcut, side = "bottom", align = "center" }: TooltipProps) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          side={side}
          align={align}
          sideOffset={6}
          collisionPadding={8}
          className="appear z-50 flex max-w-80 items-center gap-2 rounded-md bg-ink px-2 py-1 text-meta text-panel shadow-lift"
        >
          <span className="min-w-0 break-words">{label}</span>
          {shortcut ? <Kbd keys={shortcut} className="opacity-80 [&_kbd]:border-ink-3 [&_kbd]:text-panel" /> : null}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
