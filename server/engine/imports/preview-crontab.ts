import type { z } from "zod";
import { type CrontabPreview, isPreviewOffer, previewCrontab } from "@/server/domain/imports/preview-crontab";
import { parseInput } from "@/server/domain/input";
import { authorise } from "@/server/engine/access/authorise";
import type { Ctx } from "@/server/engine/context";
import { crontabSourceSchema, type KnownOrigin, knownOrigins, originHash } from "./crontab-input";

export interface ImportPreview extends CrontabPreview {
  /** Lines that are here already: an import leaves their pipelines alone. */
  readonly existing: readonly (KnownOrigin & { readonly line: number })[];
}

/** What an import of a crontab would make of each line; creates nothing (INV-3). */
export async function previewCrontabImport(ctx: Ctx, raw: z.input<typeof crontabSourceSchema>): Promise<ImportPreview> {
  const input = parseInput(crontabSourceSchema, raw);
  authorise(ctx, input.projectId, "pipeline.import");
  const preview = previewCrontab(input.text, { form: input.form, defaultZone: input.timezone, locale: input.locale, now: ctx.clock.now() });
  const origins = preview.lines.flatMap((line) =>
    isPreviewOffer(line) && line.entry.origin !== null ? [{ line: line.line, origin: originHash(line.entry.origin) }] : [],
  );
  const known = await knownOrigins(
    ctx.db,
    input.projectId,
    origins.map(({ origin }) => origin),
  );
  const existing = origins.flatMap(({ line, origin }) => {
    const found = known.get(origin);
    return found ? [{ line, ...found }] : [];
  });
  return { ...preview, existing };
}
