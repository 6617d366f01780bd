"use client";
import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "@/app/_trpc/client";
import type { SelectOption } from "@/app/_ui/select";

/** Who may be made the owner of an incident or of an action. */
export function useOwners(projectId: string): readonly SelectOption[] {
  const trpc = useTRPC();
  const owners = useQuery(trpc.incidents.owners.queryOptions({ projectId })).data ?? [];
  return owners.map(({ id, name }) => ({ value: id, label: name }));
}
