"use client";
import { useQueryClient } from "@tanstack/react-query";
import { ListChecks, Workflow } from "lucide-react";
import { useTranslations } from "next-intl";
import { useCallback } from "react";
import { useTRPC } from "@/app/_trpc/client";
import type { CommandSearch } from "./commands";

const MOST = 8;
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** What the palette finds beside its commands: pipelines by name or title, and a run by its id. */
export function useSearch(projectId: string | null): CommandSearch {
  const t = useTranslations("frame.palette");
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  return useCallback(
    async (query) => {
      if (projectId === null) return [];
      if (ID.test(query)) {
        return [
          {
            key: query,
            label: t("run", { id: query }),
            group: t("found"),
            icon: <ListChecks size={14} aria-hidden="true" />,
            href: `/runs/${query}`,
          },
        ];
      }
      const found = await queryClient.fetchQuery(trpc.pipelines.list.queryOptions({ projectId, search: query.slice(0, 200), limit: MOST }));
      return found.items.map(({ id, name, title }) => ({
        key: id,
        label: title,
        hint: name,
        group: t("found"),
        icon: <Workflow size={14} aria-hidden="true" />,
        href: `/pipelines/${id}`,
      }));
    },
    [projectId, t, trpc, queryClient],
  );
}
