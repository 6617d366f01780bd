import { z } from "zod";
import { GRADES } from "../alert/grade";
import { isErrorCode } from "../errors/code";
import { textSchema } from "../pipeline/definition";

/** A proposal waits for its reviewers; a registered code is what the CI check lets through; a deprecated one is no more to be used. */
export const CODE_STATES = ["proposed", "registered", "deprecated"] as const;
export type CodeState = (typeof CODE_STATES)[number];

export const errorCodeSchema = z.string().max(64).refine(isErrorCode, {
  error: "write it in three levels, upper snake case, ending in a number: ORDER_INVENTORY_SHORTAGE_409",
});

/** The domains of the platform's own codes: what they mean is the engine's to say, so nobody registers or maps them. */
export const isPlatformsOwn = (code: string): boolean => /^(?:APOLLO|WORKER)_/.test(code);

/** When a retry of this code comes; how often is never said by a code (RTY-2). */
export const codeRetrySchema = z
  .strictObject({
    baseMs: z.int().min(1).max(3_600_000),
    jitterMs: z.int().min(0).max(3_600_000),
    capMs: z.int().min(1).max(86_400_000),
  })
  .refine(({ baseMs, capMs }) => capMs >= baseMs, {
    error: "the cap is shorter than the base; no retry would come in time",
    path: ["capMs"],
  });
export type CodeRetry = z.output<typeof codeRetrySchema>;

/** What stands in the register of a code, and can be changed. Prose of several lines is allowed where prose is asked for. */
const prose = (max: number) => z.string().max(max);
export const codeFactsSchema = z.strictObject({
  titleEn: textSchema(120).min(1),
  titleZh: textSchema(120).min(1),
  meaningEn: prose(2_000).min(1),
  meaningZh: prose(2_000).min(1),
  owner: textSchema(200).min(1),
  grade: z.enum(GRADES),
  impact: prose(1_000).min(1),
  slaMinutes: z.int().min(1).max(43_200),
  retry: codeRetrySchema.nullable().default(null),
  playbook: prose(20_000).default(""),
});
export type CodeFacts = z.output<typeof codeFactsSchema>;

/** How many others must approve a proposal; 0 registers at once. */
export const reviewersSchema = z.int().min(0).max(10);
export const DEFAULT_REVIEWERS = 3;

/** A list of codes counts no more events of each: so many stand for these and more. */
export const MOST_EVENTS = 1_000;
