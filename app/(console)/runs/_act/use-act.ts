"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTRPC } from "@/app/_trpc/client";
import type { RunView } from "../views";
import { type Act, seqToExpect } from "./model/acts";

interface Deed {
  act: Act;
  reason: string;
  /** Of "mark as success". */
  output?: unknown;
}

/** Does what was confirmed; resolves to the run that it was done to, or that it made. */
export function useAct(run: Pick<RunView, "id" | "state" | "seq">) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const verbs = {
    retry: useMutation(trpc.runs.retry.mutationOptions()),
    "rerun-from": useMutation(trpc.runs.rerunFrom.mutationOptions()),
    skip: useMutation(trpc.runs.skip.mutationOptions()),
    "mark-success": useMutation(trpc.runs.markSuccess.mutationOptions()),
    cancel: useMutation(trpc.runs.cancelNode.mutationOptions()),
  };
  const cancelRun = useMutation(trpc.runs.cancel.mutationOptions());
  const pause = useMutation(trpc.runs.pause.mutationOptions());
  const resume = useMutation(trpc.runs.resume.mutationOptions());
  const again = useMutation(trpc.runs.rerun.mutationOptions());

  const perform = async ({ act, reason, output }: Deed): Promise<string> => {
    const expectedSeq = seqToExpect(run);
    const input = { runId: run.id, reason, ...(expectedSeq === undefined ? {} : { expectedSeq }) };
    if (act.on === "node") {
      const onNode = { ...input, key: act.key };
      if (act.verb === "mark-success")
        await verbs[act.verb].mutateAsync({ ...onNode, ...(output === undefined ? {} : { output: output as never }) });
      else await verbs[act.verb].mutateAsync(onNode);
      return run.id;
    }
    if (act.verb === "again") return (await again.mutateAsync({ runId: run.id, reason })).id;
    await { cancel: cancelRun, pause, resume }[act.verb].mutateAsync(input);
    return run.id;
  };

  return useMutation({
    mutationFn: perform,
    retry: false,
    onSettled: () => queryClient.invalidateQueries({ queryKey: trpc.runs.pathKey() }),
  });
}
