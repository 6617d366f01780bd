"use client";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import type { CheckResult } from "./views";

export interface Subject {
  readonly code?: string;
  readonly runId?: string;
  readonly nodeKey?: string;
  readonly workerId?: string;
}

/** What became of a press. */
export type Look =
  | { readonly kind: "busy" }
  | { readonly kind: "found"; readonly result: CheckResult }
  | { readonly kind: "failed"; readonly error: unknown };

type Looks = Readonly<Partial<Record<CheckResult["check"], Look>>>;

/**
 * The checks of one page. Each is made on a press alone and never by itself again, as a query on the page would be with each
 * push; what was found belongs to the subject that it was found for.
 */
export function useChecks(projectId: string, subject: Subject) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [looks, setLooks] = useState<Readonly<Record<string, Looks>>>({});
  const of = JSON.stringify(subject);
  const keep = (check: CheckResult["check"], look: Look) => setLooks((all) => ({ ...all, [of]: { ...all[of], [check]: look } }));
  const make = async (check: CheckResult["check"]) => {
    keep(check, { kind: "busy" });
    try {
      const asked = trpc.playbooks.check.queryOptions({ projectId, check, subject });
      keep(check, { kind: "found", result: await queryClient.fetchQuery({ ...asked, staleTime: 0, retry: false }) });
    } catch (error) {
      keep(check, { kind: "failed", error });
    }
  };
  return { looks: looks[of] ?? {}, make: (check: CheckResult["check"]) => void make(check) };
}
