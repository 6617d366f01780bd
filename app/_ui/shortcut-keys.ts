/** The name of what was pressed, as it is written in `Shortcut.keys`. */
export function pressedKey(event: Pick<KeyboardEvent, "key" | "metaKey" | "ctrlKey" | "altKey">): string | null {
  if (event.altKey) return null;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  return event.metaKey || event.ctrlKey ? `mod+${key}` : key;
}

/** Which shortcut `typed` completes, and whether it may still become one. */
export function matchKeys(shortcuts: readonly { keys: string }[], typed: string): { hit: number; open: boolean } {
  const hit = shortcuts.findLastIndex((shortcut) => shortcut.keys === typed);
  const open = shortcuts.some((shortcut) => shortcut.keys.startsWith(`${typed} `));
  return { hit, open };
}
