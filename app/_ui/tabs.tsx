"use client";
import Link from "next/link";
import { Tabs as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { cn } from "./class-names";

const STRIP = "flex shrink-0 gap-4 overflow-x-auto border-b [scrollbar-width:none]";
const TAB =
  "-mb-px flex h-9 items-center gap-1.5 whitespace-nowrap border-transparent border-b-2 text-ink-2 text-table outline-offset-[-2px] hover:text-ink data-[state=active]:border-ink data-[state=active]:font-medium data-[state=active]:text-ink";

const Count = ({ children }: { children: ReactNode }) => <span className="text-ink-3 text-meta">{children}</span>;

export interface Tab<V extends string = string> {
  value: V;
  label: ReactNode;
  count?: ReactNode;
  content: ReactNode;
}

export interface TabsProps<V extends string = string> {
  tabs: readonly Tab<V>[];
  value: V;
  onValue: (value: V) => void;
  label: string;
  className?: string;
  contentClassName?: string;
}

/** Panels of one page; only the chosen one is rendered. */
export function Tabs<V extends string = string>({ tabs, value, onValue, label, className, contentClassName }: TabsProps<V>) {
  return (
    <Radix.Root value={value} onValueChange={(next) => onValue(next as V)} className={cn("flex min-h-0 min-w-0 flex-col", className)}>
      <Radix.List aria-label={label} className={STRIP}>
        {tabs.map((tab) => (
          <Radix.Trigger key={tab.value} value={tab.value} className={TAB}>
            {tab.label}
            {tab.count === undefined ? null : <Count>{tab.count}</Count>}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map((tab) => (
        <Radix.Content key={tab.value} value={tab.value} className={cn("min-h-0 flex-1 outline-offset-[-2px]", contentClassName)}>
          {tab.content}
        </Radix.Content>
      ))}
    </Radix.Root>
  );
}

export interface TabLink {
  href: string;
  label: ReactNode;
  count?: ReactNode;
  current: boolean;
}

/** Tabs that are pages of their own, each with its address. */
export function TabLinks({ links, label }: { links: readonly TabLink[]; label: string }) {
  return (
    <nav aria-label={label} className={STRIP}>
      {links.map((link) => (
        <Link
          key={link.href}
          href={link.href}
          aria-current={link.current ? "page" : undefined}
          data-state={link.current ? "active" : undefined}
          className={TAB}
        >
          {link.label}
          {link.count === undefined ? null : <Count>{link.count}</Count>}
        </Link>
      ))}
    </nav>
  );
}
