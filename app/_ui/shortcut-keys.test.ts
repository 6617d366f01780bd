import { describe, expect, it } from "vitest";
import { matchKeys, pressedKey } from "./shortcut-keys";

const press = (key: string, held: Partial<{ metaKey: boolean; ctrlKey: boolean; altKey: boolean }> = {}) =>
  pressedKey({ key, metaKey: false, ctrlKey: false, altKey: false, ...held });

describe("keyboard shortcuts", () => {
  it("⌘K and Ctrl-K are one shortcut, and caps lock does not matter", () => {
    expect(press("k", { metaKey: true })).toBe("mod+k");
    expect(press("K", { ctrlKey: true })).toBe("mod+k");
  });

  it("a key with Alt is left to the keyboard layout", () => {
    expect(press("g", { altKey: true })).toBeNull();
  });

  const list = [{ keys: "g p" }, { keys: "?" }, { keys: "g p" }];

  it("a sequence stays open until its last key", () => {
    expect(matchKeys(list, "g")).toEqual({ hit: -1, open: true });
    expect(matchKeys(list, "g x")).toEqual({ hit: -1, open: false });
  });

  it("of two that share their keys the later one wins", () => {
    expect(matchKeys(list, "g p")).toEqual({ hit: 2, open: false });
    expect(matchKeys(list, "?")).toEqual({ hit: 1, open: false });
  });
});
