"use client";
import { X } from "lucide-react";
import { useTranslations } from "next-intl";
import { IconButton } from "@/app/_ui/icon-button";
import { useEditor } from "./editor-context";
import type { Refusal } from "./model/command";

function useRefusalText(): (refusal: Refusal) => string {
  const t = useTranslations("editor.refusal");
  return (refusal) => {
    switch (refusal.code) {
      case "cycle":
        return t("cycle", { cycle: refusal.cycle });
      case "already_connected":
        return t("already_connected", { from: refusal.from, to: refusal.to });
      case "not_nodes":
        return refusal.message === "" ? t("not_nodes") : `${t("not_nodes")} ${refusal.message}`;
      case "too_many_nodes":
        return t("too_many_nodes", { max: refusal.max });
      case "key_taken":
        return t("key_taken", { key: refusal.key });
      case "name_taken":
        return t("name_taken", { name: refusal.name });
      case "not_a_sequence":
        return t("not_a_sequence");
    }
  };
}

/** Why the last step changed nothing; it stands until something else is done. */
export function RefusalLine() {
  const t = useTranslations("ui");
  const { state, dispatch } = useEditor();
  const text = useRefusalText();
  if (state.refusal === null) return null;
  return (
    <div
      role="alert"
      className="appear absolute inset-x-3 top-3 z-20 mx-auto flex w-fit max-w-xl items-start gap-2 rounded-md border border-state-failed bg-raised py-1.5 pr-1.5 pl-3 text-table shadow-lift"
    >
      <span className="min-w-0 break-words py-0.5">{text(state.refusal)}</span>
      <IconButton size="sm" label={t("close")} icon={<X size={13} aria-hidden="true" />} onClick={() => dispatch({ type: "dismiss" })} />
    </div>
  );
}
