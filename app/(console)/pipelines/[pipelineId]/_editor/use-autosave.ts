"use client";
import { useTranslations } from "next-intl";
import { useEffect, useReducer, useRef } from "react";
import { notify } from "@/app/_ui/toast";
import { isSameDraft, isSaved, nextSaveInMs, openSaves, type SaveState, saveReducer, type TheirDraft } from "./model/autosave";
import type { EditorDraft } from "./model/editor-draft";

export type SaveOutcome =
  | { readonly kind: "saved"; readonly revision: number }
  | { readonly kind: "conflict"; readonly theirs: TheirDraft }
  | { readonly kind: "refused"; readonly message: string };

export type SaveDraft = (draft: EditorDraft, revision: number) => Promise<SaveOutcome>;

/** What the server has taken; null where it did not. */
type Landing = { readonly draft: EditorDraft; readonly revision: number } | null;

export interface Autosave {
  readonly saves: SaveState;
  /** Writes what is not written yet, and answers with the revision to publish; null where that failed. */
  readonly flush: () => Promise<number | null>;
  readonly keepMine: () => void;
  readonly takeTheirs: () => void;
}

/** Leaving for another page of the console saves what is not saved yet; if that fails, it is said there. */
function useLastSave(isDone: () => boolean, flush: () => Promise<number | null>) {
  const t = useTranslations("editor.save");
  const last = useRef({ isDone, flush, lost: t("lost") });
  last.current = { isDone, flush, lost: t("lost") };
  useEffect(
    () => () => {
      if (last.current.isDone()) return;
      const { lost } = last.current;
      void last.current.flush().then((revision) => {
        if (revision === null) notify({ title: lost, tone: "bad" });
      });
    },
    [],
  );
}

/** Keeps the server's copy of the draft up to date; a page that is left with unsaved work asks first. */
export function useAutosave(draft: EditorDraft, first: { draft: EditorDraft; revision: number }, save: SaveDraft): Autosave {
  const [saves, tell] = useReducer(saveReducer, first, (start) => openSaves(start.draft, start.revision));
  const now = useRef({ draft, saves, save });
  now.current = { draft, saves, save };
  const waitMs = nextSaveInMs(saves, draft);

  const flight = useRef<Promise<Landing>>(Promise.resolve(null));
  const send = useRef((base: number): Promise<Landing> => {
    const sending = now.current.draft;
    tell({ type: "sent", draft: sending });
    flight.current = now.current.save(sending, base).then(
      (outcome) => {
        if (outcome.kind === "conflict") tell({ type: "conflict", theirs: outcome.theirs });
        else if (outcome.kind === "refused") tell({ type: "refused", message: outcome.message });
        else tell({ type: "saved", revision: outcome.revision, at: Date.now() });
        return outcome.kind === "saved" ? { draft: sending, revision: outcome.revision } : null;
      },
      () => {
        tell({ type: "failed" });
        return null;
      },
    );
    return flight.current;
  });

  // The timer starts anew with every change, so that a save waits for a pause in typing.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the draft restarts the wait
  useEffect(() => {
    if (waitMs === null) return;
    const timer = setTimeout(() => void send.current(now.current.saves.revision), waitMs);
    return () => clearTimeout(timer);
  }, [waitMs, draft]);

  const flush = async (): Promise<number | null> => {
    if (now.current.saves.theirs !== null) return null;
    const flying = now.current.saves.sending !== null;
    const landed = flying ? await flight.current : null;
    if (flying && landed === null) return null;
    const { saves: at, draft: current } = now.current;
    const base = landed ?? { draft: at.saved, revision: at.revision };
    if (isSameDraft(base.draft, current)) return base.revision;
    return (await send.current(base.revision))?.revision ?? null;
  };
  useLastSave(() => isSaved(now.current.saves, now.current.draft), flush);

  const unsaved = !isSaved(saves, draft) || saves.sending !== null;
  useEffect(() => {
    if (!unsaved) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", ask);
    return () => window.removeEventListener("beforeunload", ask);
  }, [unsaved]);

  return {
    saves,
    flush,
    keepMine: () => tell({ type: "keep_mine" }),
    takeTheirs: () => tell({ type: "take_theirs" }),
  };
}
