import { eq } from "drizzle-orm";
import { z } from "zod";
import type { Tx } from "@/db/client";
import { projects } from "@/db/schema/access";
import { pipelines } from "@/db/schema/pipelines";
import { titleSchema } from "@/server/domain/access/account";
import { DomainError } from "@/server/domain/failure";
import { previewCrontab } from "@/server/domain/imports/preview-crontab";
import { type ImportedPipeline, tickedLines, toDefinitions } from "@/server/domain/imports/to-definitions";
import { parseInput } from "@/server/domain/input";
import { pipelineNameSchema, textSchema } from "@/server/domain/pipeline/definition";
import { authorise, projectNotFound } from "@/server/engine/access/authorise";
import { actorOf, type Ctx, inTransaction } from "@/server/engine/context";
import { insertPipeline } from "@/server/engine/pipelines/create-pipeline";
import { judged } from "@/server/engine/pipelines/publish";
import { publishVersion } from "@/server/engine/pipelines/publish-version";
import { crontabSourceSchema, knownOrigins, originHash } from "./crontab-input";

const MAX_SELECTED = 5_000;

export const importCrontabSchema = crontabSourceSchema.extend({
  /** The chosen lines; absent means those that the preview ticks. */
  selection: z
    .array(
      z.strictObject({
        line: z.int().min(1),
        name: pipelineNameSchema.optional(),
        title: titleSchema.optional(),
        zone: textSchema(64).min(1).optional(),
      }),
    )
    .max(MAX_SELECTED)
    .optional(),
  owner: textSchema(200).min(1).optional(),
  domain: z
    .string()
    .max(32)
    .regex(/^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*$/, { error: "use upper snake case, such as ORDER" })
    .default("CRON"),
  /** Whether the schedules fire from the start. */
  enabled: z.boolean().default(false),
});

export interface ImportedLine {
  readonly line: number;
  readonly pipelineId: string;
  readonly name: string;
}

export interface CrontabImport {
  readonly created: readonly ImportedLine[];
  /** Lines that were imported before: nothing was done for them. */
  readonly existing: readonly ImportedLine[];
}

/** Makes a pipeline of each chosen line: all of them or none, and none twice, however often the file is imported (INV-3). */
export async function importCrontab(ctx: Ctx, raw: z.input<typeof importCrontabSchema>): Promise<CrontabImport> {
  const input = parseInput(importCrontabSchema, raw);
  authorise(ctx, input.projectId, "pipeline.import");
  const preview = previewCrontab(input.text, { form: input.form, defaultZone: input.timezone, locale: input.locale, now: ctx.clock.now() });
  const selection = input.selection ?? tickedLines(preview);
  if (selection.length === 0) throw new DomainError("unprocessable", "no line is chosen: choose lines that the preview offers");
  const owner = input.owner ?? actorOf(ctx.principal).label;
  const imported = await inTransaction(ctx, async (tx) => {
    await takeTurn(tx, input.projectId);
    const takenNames = await namesOf(tx, input.projectId);
    const wanted = toDefinitions(preview, selection, { owner, domain: input.domain, enabled: input.enabled, takenNames });
    return createMissing(tx, ctx, input.projectId, wanted);
  });
  if (imported.created.length > 0) ctx.ports.live.changed(input.projectId);
  return imported;
}

/** Two imports of one file wait for each other, so that the second finds what the first has made. */
async function takeTurn(tx: Tx, projectId: string): Promise<void> {
  const [row] = await tx.select({ id: projects.id }).from(projects).where(eq(projects.id, projectId)).for("update");
  if (!row) throw projectNotFound(projectId);
}

async function namesOf(tx: Tx, projectId: string): Promise<string[]> {
  const rows = await tx.select({ name: pipelines.name }).from(pipelines).where(eq(pipelines.projectId, projectId));
  return rows.map(({ name }) => name);
}

async function createMissing(tx: Tx, ctx: Ctx, projectId: string, wanted: readonly ImportedPipeline[]): Promise<CrontabImport> {
  const known = await knownOrigins(
    tx,
    projectId,
    wanted.map(({ origin }) => originHash(origin)),
  );
  const created: ImportedLine[] = [];
  const existing: ImportedLine[] = [];
  for (const { line, origin, definition } of wanted) {
    const before = known.get(originHash(origin));
    if (before) existing.push({ line, ...before });
    else created.push({ line, ...(await createOne(tx, ctx, projectId, originHash(origin), line, definition)) });
  }
  return { created, existing };
}

async function createOne(
  tx: Tx,
  ctx: Ctx,
  projectId: string,
  origin: string,
  line: number,
  definition: ImportedPipeline["definition"],
): Promise<{ pipelineId: string; name: string }> {
  const { name, title, owner, labels } = definition.metadata;
  const row = await insertPipeline(tx, ctx, { projectId, name, title, owner, origin, ...(labels ? { labels } : {}) });
  if (!row)
    throw new DomainError("conflict", `line ${line}: the name "${name}" was taken a moment ago; import again`, { details: { line, name } });
  await publishVersion(tx, ctx, row, {
    definition: judged(definition, row),
    layout: {},
    message: `Imported from line ${line} of a crontab`,
    verb: "pipeline.import",
    keepDraft: false,
  });
  return { pipelineId: row.id, name };
}
