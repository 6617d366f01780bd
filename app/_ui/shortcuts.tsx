"use client";
import { createContext, type ReactNode, useCallback, useContext, useEffect, useRef, useState } from "react";
import { matchKeys, pressedKey } from "./shortcut-keys";

export interface Shortcut {
  /** `?`, `/`, `g p`, `mod+k` (⌘ on a Mac, Ctrl elsewhere). */
  keys: string;
  label: string;
  /** Heading under which the list shows it. */
  group: string;
  run: () => void;
  /** Works while a field has the cursor, too. */
  inFields?: boolean;
}

const SEQUENCE_MS = 1200;

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName));

type Add = (shortcuts: readonly Shortcut[]) => () => void;

// Two contexts: whoever adds keys is not drawn anew by every key that anyone adds.
const AddContext = createContext<Add | null>(null);
const AllContext = createContext<readonly Shortcut[]>([]);

export function ShortcutGround({ children }: { children: ReactNode }) {
  const [all, setAll] = useState<readonly Shortcut[]>([]);
  const current = useRef(all);
  current.current = all;

  useEffect(() => {
    let typed = "";
    let typedAt = 0;
    const onKey = (event: KeyboardEvent) => {
      const key = pressedKey(event);
      if (key === null || event.defaultPrevented || event.repeat) return;
      const modal = document.querySelector('[role="dialog"],[role="alertdialog"],[role="menu"],[role="listbox"]') !== null;
      const usable = current.current.filter((shortcut) => shortcut.inFields || !(isTyping(event.target) || modal));
      const sequence = typed !== "" && event.timeStamp - typedAt < SEQUENCE_MS ? `${typed} ${key}` : key;
      const { hit, open } = matchKeys(usable, sequence);
      typed = open ? sequence : "";
      typedAt = event.timeStamp;
      const found = usable[hit];
      if (!found) return;
      event.preventDefault();
      found.run();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);

  const add = useCallback<Add>((shortcuts) => {
    if (shortcuts.length === 0) return () => undefined;
    setAll((before) => [...before, ...shortcuts]);
    return () => setAll((before) => before.filter((shortcut) => !shortcuts.includes(shortcut)));
  }, []);
  return (
    <AddContext value={add}>
      <AllContext value={all}>{children}</AllContext>
    </AddContext>
  );
}

/** Keys that work while this part is on the screen; the latest registered wins. Pass a memoised list. */
export function useShortcuts(shortcuts: readonly Shortcut[]) {
  const add = useContext(AddContext);
  useEffect(() => add?.(shortcuts), [add, shortcuts]);
}

export const useAllShortcuts = (): readonly Shortcut[] => useContext(AllContext);
