import "server-only";
import { TRPCError } from "@trpc/server";
import { cache } from "react";
import { serverCaller } from "@/app/_trpc/server";
import { loadFrame } from "../../../_frame/load-frame";
import type { PipelineDetail } from "../../_parts/views";

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export interface PipelinePage {
  readonly projectId: string;
  readonly pipeline: PipelineDetail;
}

/**
 * The pipeline of an address, in whichever project of this person it lies: a link from elsewhere need not be of the project
 * that the switcher shows. Null where there is none, or none that they may see.
 */
export const loadPipelinePage = cache(async (pipelineId: string): Promise<PipelinePage | null> => {
  const frame = ID.test(pipelineId) ? await loadFrame() : null;
  if (!frame) return null;
  const caller = await serverCaller();
  const others = frame.projects.filter(({ id }) => id !== frame.project?.id);
  for (const { id: projectId } of [...(frame.project ? [frame.project] : []), ...others]) {
    try {
      return { projectId, pipeline: await caller.pipelines.get({ projectId, pipelineId }) };
    } catch (error) {
      if (!(error instanceof TRPCError && (error.code === "NOT_FOUND" || error.code === "FORBIDDEN"))) throw error;
    }
  }
  return null;
});
