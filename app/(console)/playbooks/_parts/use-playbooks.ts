"use client";
import { useQuery } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useTRPC } from "@/app/_trpc/client";
import type { Playbook } from "./views";

/** All playbooks of a project in the reader's language, its own before the shipped ones. */
export function usePlaybooks(projectId: string) {
  const t = useTranslations("playbooks.shipped");
  const trpc = useTRPC();
  const found = useQuery(trpc.playbooks.list.queryOptions({ projectId }));
  const data = found.data && [
    ...found.data.own.map((own): Playbook => ({ ...own, key: own.id, patterns: own.pattern === null ? [] : [own.pattern], own })),
    ...found.data.shipped.map(
      ({ key, checks, patterns }): Playbook => ({
        ...{ key, checks, patterns, title: t(`${key}.title`), symptom: t(`${key}.symptom`), meaning: t(`${key}.meaning`), link: null },
        own: null,
      }),
    ),
  ];
  return { data, error: found.error, refetch: found.refetch };
}
