import { nodeSchema, type PipelineDefinition, scheduleSchema } from "./definition";
import { parseDefinition } from "./parse-definition";

const { key: _key, type: _type, with: _with, ...nodeDefaults } = nodeSchema.parse({ key: "a", type: "wait", with: { for: "1s" } });
const {
  name: _name,
  cron: _cron,
  timezone: _timezone,
  ...scheduleDefaults
} = scheduleSchema.parse({ name: "a", cron: "@daily", timezone: "UTC" });

/** What a node is when its author says nothing, read off the schema so that the two cannot differ. */
export const NODE_DEFAULTS = nodeDefaults;
export const SCHEDULE_DEFAULTS = scheduleDefaults;

export interface NewPipeline {
  readonly name: string;
  readonly title: string;
  readonly owner: string;
  readonly domain: string;
}

/** A pipeline as it is before its first node is drawn. */
export function emptyDefinition({ name, title, owner, domain }: NewPipeline): PipelineDefinition {
  const parsed = parseDefinition({ apiVersion: "apollo11/v1", kind: "Pipeline", metadata: { name, title, owner }, spec: { domain } });
  if (parsed.ok) return parsed.definition;
  throw new RangeError(parsed.issues.map(({ path, message }) => `${path} ${message}`).join("; "));
}
