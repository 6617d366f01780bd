"use client";
import { useMutation } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useTRPC } from "@/app/_trpc/client";
import { notify } from "@/app/_ui/toast";
import { useFailureText } from "../../_query/use-failure-text";
import { useRefresh } from "../../_query/use-refresh";
import type { Policy } from "./views";

export interface PolicySaver {
  readonly save: (policy: Policy) => void;
  readonly busy: boolean;
  readonly error: string | null;
}

/** Saves a policy whole over the revision that was looked at. */
export function usePolicySaver(projectId: string, revision: number, onSaved: () => void): PolicySaver {
  const t = useTranslations("alerts.rules");
  const trpc = useTRPC();
  const refresh = useRefresh();
  const text = useFailureText();
  const save = useMutation(
    trpc.alerts.savePolicy.mutationOptions({
      onSuccess: (saved) => {
        refresh();
        onSaved();
        notify({ title: t("saved", { revision: saved.revision }) });
      },
      onError: refresh,
    }),
  );
  return {
    save: (policy) => save.mutate({ projectId, revision, policy }),
    busy: save.isPending,
    error: save.error ? text(save.error) : null,
  };
}

/** An id for a new entry: the words of its name, and a number where they are taken. */
export function freeId(name: string, taken: readonly { readonly id: string }[]): string {
  const words = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 30);
  const ids = new Set(taken.map(({ id }) => id));
  const base = words === "" ? "entry" : words;
  for (let n = 1; ; n++) {
    const id = n === 1 ? base : `${base}-${n}`;
    if (!ids.has(id)) return id;
  }
}
