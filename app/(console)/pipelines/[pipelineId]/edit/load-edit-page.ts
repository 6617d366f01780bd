import "server-only";
import { TRPCError } from "@trpc/server";
import { cache } from "react";
import { serverCaller } from "@/app/_trpc/server";
import type { FrameProject } from "@/app/(console)/_frame/frame-data";
import { loadFrame } from "@/app/(console)/_frame/load-frame";

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

const isAbsent = (error: unknown) => error instanceof TRPCError && (error.code === "NOT_FOUND" || error.code === "FORBIDDEN");

async function draftIn(project: FrameProject, pipelineId: string) {
  const caller = await serverCaller();
  const place = { projectId: project.id, pipelineId };
  try {
    const [draft, detail] = await Promise.all([caller.pipelines.draft(place), caller.pipelines.get(place)]);
    return { project, draft, detail };
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}

/** The draft of an address, in whichever of this person's projects it is; null where there is none. */
export const loadEditPage = cache(async (pipelineId: string) => {
  const frame = await loadFrame();
  if (frame === null || !ID.test(pipelineId)) return null;
  const first = frame.projects.filter(({ id }) => id === frame.project?.id);
  for (const project of [...first, ...frame.projects.filter(({ id }) => id !== frame.project?.id)]) {
    const found = await draftIn(project, pipelineId);
    if (found !== null) return found;
  }
  return null;
});
