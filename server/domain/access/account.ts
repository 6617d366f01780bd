import { z } from "zod";
import { pipelineNameSchema, textSchema } from "../pipeline/definition";
import { ROLES } from "./roles";

export const MIN_PASSWORD = 12;
export const MAX_PASSWORD = 256;

export const emailSchema = z
  .string()
  .max(254)
  .transform((text) => text.trim().toLowerCase())
  .pipe(z.email({ error: "not an e-mail address; write it like ada@example.org" }));

/** Length is the one rule that helps; anything may stand in it. */
export const passwordSchema = z.string().min(MIN_PASSWORD).max(MAX_PASSWORD);
export const personNameSchema = textSchema(200).min(1);
export const roleSchema = z.enum(ROLES);

/** Names of projects follow the names of pipelines: both stand in URLs. */
export const projectKeySchema = pipelineNameSchema;
export const titleSchema = textSchema(200).min(1);
/** Why somebody does something that cannot simply be taken back. */
export const reasonSchema = textSchema(2_000).min(1);
