"use client";
import { Check } from "lucide-react";
import Link from "next/link";
import { DropdownMenu as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { cn } from "./class-names";
import { Kbd } from "./kbd";

export type MenuItem =
  | { kind: "line"; key: string }
  | { kind: "heading"; key: string; label: ReactNode }
  | {
      kind: "choice";
      key: string;
      label: ReactNode;
      value: string;
      onValue: (value: string) => void;
      options: readonly { value: string; label: ReactNode; icon?: ReactNode }[];
    }
  | {
      kind?: "item";
      key: string;
      label: ReactNode;
      icon?: ReactNode;
      hint?: ReactNode;
      shortcut?: string;
      tone?: "plain" | "danger";
      /** Why it cannot be pressed now; shown beneath it. */
      disabledBecause?: string;
      href?: string;
      onSelect?: () => void;
    };

export interface MenuProps {
  /** One button; it gets the menu's behaviour. */
  trigger: ReactNode;
  items: readonly MenuItem[];
  align?: "start" | "end";
  side?: "top" | "right" | "bottom" | "left";
  className?: string;
}

const ROW =
  "flex cursor-default select-none items-start gap-2 rounded-sm px-1.5 py-1 text-table outline-none data-disabled:text-ink-3 data-highlighted:bg-selected pointer-coarse:py-2.5";
const MARK = "flex h-5 w-4 shrink-0 items-center justify-center text-ink-3";

export function Menu({ trigger, items, align = "end", side = "bottom", className }: MenuProps) {
  return (
    <Radix.Root modal={false}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          align={align}
          side={side}
          sideOffset={4}
          collisionPadding={8}
          className={cn(
            "appear z-50 max-h-(--radix-dropdown-menu-content-available-height) min-w-48 max-w-80 overflow-y-auto rounded-md border border-line-strong bg-raised p-1 shadow-lift",
            className,
          )}
        >
          {items.map((item) => (
            <MenuRow key={item.key} item={item} />
          ))}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

function MenuRow({ item }: { item: MenuItem }) {
  switch (item.kind) {
    case "line":
      return <Radix.Separator className="-mx-1 my-1 h-px bg-line" />;
    case "heading":
      return <Radix.Label className="px-1.5 py-1 text-ink-3 text-meta">{item.label}</Radix.Label>;
    case "choice":
      return (
        <Radix.RadioGroup value={item.value} onValueChange={item.onValue}>
          <Radix.Label className="px-1.5 py-1 text-ink-3 text-meta">{item.label}</Radix.Label>
          {item.options.map((option) => (
            <Radix.RadioItem key={option.value} value={option.value} className={ROW}>
              <span className={MARK}>
                <Radix.ItemIndicator>
                  <Check size={13} aria-hidden="true" />
                </Radix.ItemIndicator>
              </span>
              <span className="min-w-0 flex-1">{option.label}</span>
              {option.icon}
            </Radix.RadioItem>
          ))}
        </Radix.RadioGroup>
      );
    case "item":
    case undefined:
      return <PlainRow item={item} />;
  }
}

function PlainRow({ item }: { item: Extract<MenuItem, { kind?: "item" }> }) {
  const inside = (
    <>
      {item.icon ? <span className={MARK}>{item.icon}</span> : null}
      <span className="min-w-0 flex-1">
        {item.label}
        {item.disabledBecause || item.hint ? <span className="block text-ink-3 text-meta">{item.disabledBecause ?? item.hint}</span> : null}
      </span>
      {item.shortcut ? <Kbd keys={item.shortcut} className="mt-0.5" /> : null}
    </>
  );
  const look = cn(ROW, item.tone === "danger" && !item.disabledBecause && "text-state-failed");
  const disabled = item.disabledBecause !== undefined;
  if (item.href && !disabled) {
    return (
      <Radix.Item asChild className={look}>
        <Link href={item.href}>{inside}</Link>
      </Radix.Item>
    );
  }
  return (
    <Radix.Item disabled={disabled} onSelect={() => item.onSelect?.()} className={look}>
      {inside}
    </Radix.Item>
  );
}
