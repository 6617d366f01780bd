import { z } from "zod";
import { DomainError } from "@/server/domain/failure";
import { invalidInput, parseInput } from "@/server/domain/input";
import { type PipelineDefinition, textSchema } from "@/server/domain/pipeline/definition";
import { parseDefinition } from "@/server/domain/pipeline/parse-definition";
import { publishIssues } from "@/server/domain/pipeline/publish-issues";
import { authorise } from "@/server/engine/access/authorise";
import { type Ctx, inTransaction } from "@/server/engine/context";
import { lockPipeline, type PipelineRow, refuseGitManaged } from "./pipeline-row";
import { type PublishedVersion, publishVersion } from "./publish-version";
import { refuseStale } from "./save-draft";

export const publishSchema = z.strictObject({
  projectId: z.uuid(),
  pipelineId: z.uuid(),
  /** Of the draft that the author looked at. */
  revision: z.int().min(0),
  message: textSchema(2_000).default(""),
});

/** Makes the draft live as a new version. All that is wrong with it is named at once; then nothing is changed. */
export async function publish(ctx: Ctx, raw: z.input<typeof publishSchema>): Promise<PublishedVersion> {
  const input = parseInput(publishSchema, raw);
  authorise(ctx, input.projectId, "pipeline.publish");
  const published = await inTransaction(ctx, async (tx) => {
    const row = await lockPipeline(tx, input);
    refuseGitManaged(row);
    refuseStale(row, input.revision);
    if (row.draft === null) throw new DomainError("conflict", `${row.name} has no draft: what is live is all there is`);
    const definition = judged(row.draft, row);
    return publishVersion(tx, ctx, row, {
      definition,
      layout: row.draftLayout,
      message: input.message,
      verb: "pipeline.publish",
      keepDraft: false,
    });
  });
  ctx.ports.live.changed(input.projectId);
  return published;
}

/** A definition that may go live under this name, or a refusal with every issue. */
export function judged(input: unknown, row: Pick<PipelineRow, "name">): PipelineDefinition {
  const parsed = parseDefinition(input);
  if (!parsed.ok) throw invalidInput(parsed.issues, "the definition");
  return judgedDefinition(parsed.definition, row.name);
}

export function judgedDefinition(definition: PipelineDefinition, name: string): PipelineDefinition {
  const named = definition.metadata.name === name;
  const issues = [
    ...(named
      ? []
      : [
          {
            path: "metadata.name",
            code: "name_differs",
            message: `this pipeline is called "${name}"; its name stays, its title may change`,
          },
        ]),
    ...publishIssues(definition),
  ];
  if (issues.length > 0) throw invalidInput(issues, "the definition");
  return definition;
}
