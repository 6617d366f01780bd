"use client";
import { Popover as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { cn } from "./class-names";

export interface PopoverProps {
  trigger: ReactNode;
  children: ReactNode;
  /** What it holds, for screen readers. */
  label: string;
  open?: boolean;
  onOpen?: (open: boolean) => void;
  align?: "start" | "center" | "end";
  side?: "top" | "right" | "bottom" | "left";
  className?: string;
}

export function Popover({ trigger, children, label, open, onOpen, align = "start", side = "bottom", className }: PopoverProps) {
  return (
    <Radix.Root open={open} onOpenChange={onOpen}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          aria-label={label}
          align={align}
          side={side}
          sideOffset={4}
          collisionPadding={8}
          className={cn(
            "appear z-50 w-72 max-w-[calc(100vw-16px)] rounded-md border border-line-strong bg-raised p-3 text-table shadow-lift outline-none",
            className,
          )}
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
