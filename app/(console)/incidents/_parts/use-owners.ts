"use client";
import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "@/app/_trpc/client";
import type { SelectOption } from "@/app/_ui/select";
import { roleAllows } from "@/server/domain/access/roles";

/** Who may be made the owner of an incident or of an action. */
export function useOwners(projectId: string): readonly SelectOption[] {
  const trpc = useTRPC();
  const members = useQuery(trpc.members.list.queryOptions({ projectId })).data ?? [];
  return members
    .filter(({ role, disabled }) => !disabled && roleAllows(role, "incident.handle"))
    .map(({ userId, name }) => ({ value: userId, label: name }));
}
