import { z } from "zod";
import { parseInput } from "@/server/domain/input";
import { sameDefinition } from "@/server/domain/pipeline/canonical";
import { emptyDefinition } from "@/server/domain/pipeline/defaults";
import type { PipelineDefinition } from "@/server/domain/pipeline/definition";
import { authorise } from "@/server/engine/access/authorise";
import type { Ctx } from "@/server/engine/context";
import { domainOf } from "./create-pipeline";
import { definitionOf, liveVersion, type PipelineRow, readPipeline } from "./pipeline-row";

export const pipelinePlaceSchema = z.strictObject({ projectId: z.uuid(), pipelineId: z.uuid() });
export type PipelinePlace = z.input<typeof pipelinePlaceSchema>;

export interface Draft {
  readonly pipelineId: string;
  readonly name: string;
  readonly definition: PipelineDefinition;
  readonly layout: PipelineRow["draftLayout"];
  /** Hand it back with the next save. */
  readonly revision: number;
  readonly savedBy: string | null;
  readonly savedAt: Date | null;
  readonly liveVersionNo: number | null;
  /** The version that the draft began from; older than the live one when somebody published meanwhile. */
  readonly baseVersionNo: number | null;
  readonly differsFromLive: boolean;
  readonly managedBy: "console" | "git";
}

/** What the editor opens: the draft, or the live version where there is none. */
export async function loadDraft(ctx: Ctx, raw: PipelinePlace): Promise<Draft> {
  const place = parseInput(pipelinePlaceSchema, raw);
  authorise(ctx, place.projectId, "project.read");
  const row = await readPipeline(ctx.db, place);
  const live = await liveVersion(ctx.db, row);
  const draft = row.draft as PipelineDefinition | null;
  const definition = draft ?? (live ? definitionOf(live) : blank(row));
  return {
    pipelineId: row.id,
    name: row.name,
    definition,
    layout: draft || !live ? row.draftLayout : live.layout,
    revision: row.draftRevision,
    savedBy: row.draftUpdatedBy,
    savedAt: row.draftUpdatedAt,
    liveVersionNo: row.liveVersionNo,
    baseVersionNo: row.draftBaseVersionNo,
    differsFromLive: live === null || !sameDefinition(definition, definitionOf(live)),
    managedBy: row.managedBy === "git" ? "git" : "console",
  };
}

const blank = (row: PipelineRow) => emptyDefinition({ name: row.name, title: row.title, owner: row.owner, domain: domainOf(row.name) });
