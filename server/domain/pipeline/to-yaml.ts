import { stringify } from "yaml";
import { canonicalJson } from "./canonical";
import { NODE_DEFAULTS, SCHEDULE_DEFAULTS } from "./defaults";
import type { NodeDefinition, PipelineDefinition, ScheduleDefinition } from "./definition";

type Fields = Readonly<Record<string, unknown>>;

function without(defaults: Fields, value: Fields): Fields {
  const kept = Object.entries(value).filter(([field, child]) => {
    if (child === undefined) return false;
    return !Object.hasOwn(defaults, field) || canonicalJson(child) !== canonicalJson(defaults[field]);
  });
  return Object.fromEntries(kept);
}

const NODE_ORDER = ["key", "title", "description", "type", "needs", "join", "group", "with"];
const SCHEDULE_ORDER = ["name", "cron", "dialect", "timezone"];

function ordered(first: readonly string[], value: Fields): Fields {
  const rest = Object.keys(value).filter((field) => !first.includes(field));
  return Object.fromEntries([...first.filter((field) => Object.hasOwn(value, field)), ...rest].map((field) => [field, value[field]]));
}

const briefNode = (node: NodeDefinition) => ordered(NODE_ORDER, without(NODE_DEFAULTS, node));
const briefSchedule = (schedule: ScheduleDefinition) => ordered(SCHEDULE_ORDER, without(SCHEDULE_DEFAULTS, schedule));

/** The definition as an author would write it: what equals the default is left out. */
export function briefDefinition(definition: PipelineDefinition): Fields {
  const { nodes, schedules, ...spec } = definition.spec;
  return {
    apiVersion: definition.apiVersion,
    kind: definition.kind,
    metadata: ordered(["name", "title", "description", "owner"], without({ labels: {} }, definition.metadata)),
    spec: {
      ...without({ taskClass: "basic", onFailure: "pause", params: {}, businessKeys: [] }, spec),
      ...(schedules.length > 0 && { schedules: schedules.map(briefSchedule) }),
      nodes: nodes.map(briefNode),
    },
  };
}

/** YAML that reads back as the same definition. */
export function toYaml(definition: PipelineDefinition): string {
  return stringify(briefDefinition(definition), { lineWidth: 110, aliasDuplicateObjects: false });
}
