import { z } from "zod";
import { patternSchema } from "@/server/domain/alert/pattern";
import { textSchema } from "@/server/domain/pipeline/definition";
import { CHECK_NAMES } from "./checks";

export const MAX_CHECKS = 10;

/** A playbook that a project writes for itself: a symptom, checks of the shipped list, and what to do with their results. */
export const playbookSchema = z.strictObject({
  title: textSchema(120).trim().min(1, { error: "give it a title" }),
  symptom: textSchema(1_000).trim().min(1, { error: "say by what it is recognised" }),
  /** Codes that it is offered for; null where it is only looked up. */
  pattern: patternSchema.nullable(),
  checks: z
    .array(z.enum(CHECK_NAMES))
    .min(1, { error: "choose at least one check" })
    .max(MAX_CHECKS)
    .refine((checks) => new Set(checks).size === checks.length, { error: "a check stands there twice" }),
  /** What its results mean here, and what to do. */
  meaning: textSchema(4_000).trim(),
  link: z
    .url({ protocol: /^https?$/, error: "not an address; write it like https://wiki.example.com/page" })
    .max(500)
    .nullable(),
});
export type PlaybookForm = z.output<typeof playbookSchema>;
