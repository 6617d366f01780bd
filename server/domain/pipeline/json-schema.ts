import { z } from "zod";
import { definitionSchema } from "./definition";

/** The JSON Schema of what an author writes, for editors and for CI (PIP-7). */
export function definitionJsonSchema(): Readonly<Record<string, unknown>> {
  return {
    title: "Apollo-11 pipeline",
    description: "A pipeline definition, format apollo11/v1.",
    ...z.toJSONSchema(definitionSchema, { io: "input", target: "draft-2020-12", unrepresentable: "any" }),
  };
}
