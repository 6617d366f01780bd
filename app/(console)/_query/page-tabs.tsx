"use client";
import { usePathname } from "next/navigation";
import type { MouseEvent, ReactNode } from "react";
import { TabLinks } from "@/app/_ui/tabs";
import { changedQuery, useAddress } from "./use-address";

export interface PageTab<V extends string> {
  value: V;
  label: ReactNode;
  count?: ReactNode;
}

interface PageTabsProps<V extends string> {
  /** The first is the one that needs no word in the address. */
  tabs: readonly PageTab<V>[];
  value: V;
  label: string;
}

/** A press that the browser would take elsewhere, such as to a new window, is left to it. */
const isPlain = (event: MouseEvent) => event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;

/** The faces of a page, each with its address; changing them asks the server for nothing but what the face shows. */
export function PageTabs<V extends string>({ tabs, value, label }: PageTabsProps<V>) {
  const { search } = useAddress();
  const pathname = usePathname();
  const [first] = tabs;
  const onPress = (event: MouseEvent) => {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (!link || !isPlain(event)) return;
    event.preventDefault();
    window.history.pushState(null, "", link.href);
  };
  return (
    // The links inside take focus and keys; Enter on one of them is a click.
    <div onClickCapture={onPress}>
      <TabLinks
        label={label}
        links={tabs.map((tab) => ({
          href: `${pathname}${changedQuery(search, { tab: tab.value === first?.value ? null : tab.value })}`,
          label: tab.label,
          count: tab.count,
          current: tab.value === value,
        }))}
      />
    </div>
  );
}

/** Which face the address names; the first where it names none. */
export function useTab<V extends string>(values: readonly [V, ...V[]]): V {
  const { read } = useAddress();
  return values.find((value) => value === read("tab")) ?? values[0];
}
