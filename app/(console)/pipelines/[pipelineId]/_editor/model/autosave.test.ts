import { describe, expect, test } from "vitest";
import { emptyDefinition } from "@/server/domain/pipeline/defaults";
import { isSaved, nextSaveInMs, openSaves, type SaveEvent, saveReducer } from "./autosave";
import type { EditorDraft } from "./editor-draft";

const draft = (title: string): EditorDraft => ({
  definition: emptyDefinition({ name: "a", title, owner: "me", domain: "A" }),
  layout: {},
});
const savesAfter = (...events: SaveEvent[]) => events.reduce(saveReducer, openSaves(draft("one"), 4));

describe("autosave", () => {
  test("saves once there is something new, and only one save at a time (PIP-4)", () => {
    expect(nextSaveInMs(savesAfter(), draft("one"))).toBeNull();
    expect(nextSaveInMs(savesAfter(), draft("two"))).toBeGreaterThan(0);
    expect(nextSaveInMs(savesAfter({ type: "sent", draft: draft("two") }), draft("three"))).toBeNull();
  });

  test("what was typed while a save was under way goes with the next one (PIP-4)", () => {
    const state = savesAfter({ type: "sent", draft: draft("two") }, { type: "saved", revision: 5, at: 1_000 });
    expect(isSaved(state, draft("two"))).toBe(true);
    expect(isSaved(state, draft("three"))).toBe(false);
    expect(state).toMatchObject({ revision: 5, savedAt: 1_000 });
    expect(nextSaveInMs(state, draft("three"))).toBeGreaterThan(0);
  });

  test("a failed save is repeated with growing waits, up to half a minute (PIP-4)", () => {
    const waits = [1, 2, 3, 10].map((times) =>
      nextSaveInMs(savesAfter(...Array.from({ length: times }, () => ({ type: "failed" }) as const)), draft("two")),
    );
    expect(waits).toEqual([1_000, 2_000, 4_000, 30_000]);
  });

  test("a stale save stops autosave until the author has chosen, and neither choice loses the base (PIP-4)", () => {
    const theirs = { ...draft("theirs"), revision: 9 };
    const conflict = savesAfter({ type: "sent", draft: draft("mine") }, { type: "conflict", theirs });
    expect(nextSaveInMs(conflict, draft("mine"))).toBeNull();
    const mine = saveReducer(conflict, { type: "keep_mine" });
    expect(mine).toMatchObject({ revision: 9, theirs: null });
    expect(nextSaveInMs(mine, draft("mine"))).toBeGreaterThan(0);
    const taken = saveReducer(conflict, { type: "take_theirs" });
    expect(isSaved(taken, draft("theirs"))).toBe(true);
    expect(nextSaveInMs(taken, draft("theirs"))).toBeNull();
  });

  test("what the server refuses is not sent again until it changes, and is taken once it has (PIP-4)", () => {
    const state = savesAfter({ type: "sent", draft: draft("two") }, { type: "refused", message: "no" });
    expect(nextSaveInMs(state, draft("two"))).toBeNull();
    expect(isSaved(state, draft("two"))).toBe(false);
    expect(nextSaveInMs(state, draft("three"))).toBeGreaterThan(0);
    const taken = [{ type: "sent", draft: draft("three") } as const, { type: "saved", revision: 5, at: 1 } as const].reduce(
      saveReducer,
      state,
    );
    expect(taken.refused).toBeNull();
  });
});
