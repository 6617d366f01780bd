import { z } from "@hono/zod-openapi";
import { parseInput } from "@/server/domain/input";
import { textSchema } from "@/server/domain/pipeline/definition";
import { importCrontab, importCrontabSchema } from "@/server/engine/imports/import-crontab";
import { previewCrontabImport } from "@/server/engine/imports/preview-crontab";
import { answer, endpoint, type RestApp } from "./endpoint";
import { flagQuery, projectOf, projectParam } from "./inputs";

const bodySchema = importCrontabSchema.omit({ projectId: true }).extend({ project: projectParam.optional() });

const importedLine = z.object({ line: z.int(), pipelineId: z.uuid(), name: z.string() });

export function importEndpoints(app: RestApp): void {
  endpoint(
    app,
    {
      method: "post",
      path: "/import/crontab",
      tag: "Import",
      summary: "Import a crontab",
      description:
        "With `dryRun=true` it tells, per line, the schedule in words, the zone, the next five fires, and what cannot be carried over. " +
        "The file may also be sent as `text/plain`, with the rest in the address.",
      query: z.strictObject({
        dryRun: flagQuery,
        project: projectParam.optional(),
        timezone: textSchema(64).min(1).optional().openapi({ description: "For `text/plain`." }),
        form: z.enum(["auto", "user", "system"]).optional(),
        enabled: z.enum(["true", "false"]).optional().openapi({ description: "Whether the schedules fire from the start." }),
      }),
      body: bodySchema,
      text: { media: ["text/plain"], description: "The crontab.", schema: z.string() },
      answers: {
        200: { description: "The preview, or nothing new", schema: z.unknown() },
        201: { description: "Created", schema: z.object({ created: z.array(importedLine), existing: z.array(importedLine) }) },
      },
    },
    async ({ ctx, query, body, text, mediaType }) => {
      const { dryRun, ...address } = query;
      const { project, ...input } = mediaType === "text/plain" ? fromAddress(address, text) : body;
      const { id: projectId } = await projectOf(ctx, project ?? address.project, "pipeline.import");
      if (dryRun) {
        const { text: crontab, form, timezone, locale } = input;
        return answer(await previewCrontabImport(ctx, { projectId, text: crontab, form, timezone, locale }));
      }
      const imported = await importCrontab(ctx, { projectId, ...input });
      return answer(imported, imported.created.length > 0 ? 201 : 200);
    },
  );
}

function fromAddress({ enabled, ...address }: { enabled?: "true" | "false" | undefined; [name: string]: unknown }, text: string) {
  return parseInput(bodySchema, { ...address, text, ...(enabled === undefined ? {} : { enabled: enabled === "true" }) });
}
