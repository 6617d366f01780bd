"use client";
import { useTranslations } from "next-intl";
import { useEffect, useMemo, useRef } from "react";
import { type Shortcut, useShortcuts } from "@/app/_ui/shortcuts";
import { FACES, type Face, neighbour } from "./model/run-keys";

interface RunKeyDeeds {
  keys: readonly string[];
  selected: string | null;
  onNode: (key: string) => void;
  onFace: (face: Face) => void;
  onTab: (tab: "logs" | "error") => void;
}

/** The run by keyboard: its faces, its nodes, and what one looks for first at night. */
export function useRunKeys(deeds: RunKeyDeeds) {
  const t = useTranslations("run.keysHelp");
  const group = useTranslations("frame.shortcuts")("page");
  const latest = useRef(deeds);
  useEffect(() => {
    latest.current = deeds;
  });
  const list = useMemo<Shortcut[]>(() => {
    const step = (by: 1 | -1) => {
      const { keys, selected, onNode } = latest.current;
      const next = neighbour(keys, selected, by);
      if (next !== null) onNode(next);
    };
    return [
      ...FACES.map((face, index) => ({ keys: String(index + 1), label: t(face), group, run: () => latest.current.onFace(face) })),
      { keys: "j", label: t("next"), group, run: () => step(1) },
      { keys: "k", label: t("previous"), group, run: () => step(-1) },
      { keys: "l", label: t("logs"), group, run: () => latest.current.onTab("logs") },
      { keys: "e", label: t("error"), group, run: () => latest.current.onTab("error") },
    ];
  }, [t, group]);
  useShortcuts(list);
}
