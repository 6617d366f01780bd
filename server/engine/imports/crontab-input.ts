import { createHash } from "node:crypto";
import { and, eq, inArray, isNull } from "drizzle-orm";
import { z } from "zod";
import type { Executor } from "@/db/client";
import { pipelines } from "@/db/schema/pipelines";
import { textSchema } from "@/server/domain/pipeline/definition";
import { WORD_LOCALES } from "@/server/domain/schedule/in-words";

/** A file of 5,000 long lines still fits; anything larger is not a crontab. */
const MAX_TEXT = 1_000_000;

export const crontabSourceSchema = z.strictObject({
  projectId: z.uuid(),
  text: z.string().min(1).max(MAX_TEXT),
  form: z.enum(["auto", "user", "system"]).default("auto"),
  /** Zone of lines before the first CRON_TZ. */
  timezone: textSchema(64).min(1),
  locale: z.enum(WORD_LOCALES).default("en"),
});

/** What is kept of where a pipeline came from: long enough to be unique, and no command in clear beside the definition. */
export const originHash = (origin: string): string => `crontab:${createHash("sha256").update(origin).digest("hex")}`;

export interface KnownOrigin {
  readonly pipelineId: string;
  readonly name: string;
}

/** Pipelines that an earlier import made of the same lines, by the hash of their origin. */
export async function knownOrigins(db: Executor, projectId: string, hashes: readonly string[]): Promise<ReadonlyMap<string, KnownOrigin>> {
  if (hashes.length === 0) return new Map();
  const rows = await db
    .select({ origin: pipelines.origin, pipelineId: pipelines.id, name: pipelines.name })
    .from(pipelines)
    .where(and(eq(pipelines.projectId, projectId), isNull(pipelines.deletedAt), inArray(pipelines.origin, [...hashes])));
  return new Map(rows.flatMap(({ origin, ...known }) => (origin === null ? [] : [[origin, known] as const])));
}
