import { RUN_STATES, type RunState } from "@/server/domain/run/states";
import { TRIGGER_KINDS, type TriggerKind } from "../../views";

/** What the address of the list says; an empty list means all. */
export interface RunFilters {
  states: readonly RunState[];
  pipeline: string | null;
  triggers: readonly TriggerKind[];
}

const chosen = <T extends string>(all: readonly T[], text: string | null): T[] => {
  const wanted = new Set((text ?? "").split(",").map((word) => word.trim().toLowerCase()));
  const found = all.filter((each) => wanted.has(each.toLowerCase()));
  return found.length === all.length ? [] : found;
};

/** Reads an address that a person may have written: what it does not know it passes over. */
export function readFilters(params: { get(name: string): string | null }): RunFilters {
  const pipeline = params.get("pipeline")?.trim() ?? "";
  return {
    states: chosen(RUN_STATES, params.get("state")),
    pipeline: pipeline === "" || pipeline.length > 64 ? null : pipeline,
    triggers: chosen(TRIGGER_KINDS, params.get("trigger")),
  };
}

export function writeFilters(filters: RunFilters): string {
  const params = new URLSearchParams();
  if (filters.states.length > 0) params.set("state", filters.states.join(",").toLowerCase());
  if (filters.pipeline !== null) params.set("pipeline", filters.pipeline);
  if (filters.triggers.length > 0) params.set("trigger", filters.triggers.join(","));
  const text = params.toString().replaceAll("%2C", ",");
  return text === "" ? "" : `?${text}`;
}

export const isFiltered = (filters: RunFilters): boolean =>
  filters.states.length > 0 || filters.pipeline !== null || filters.triggers.length > 0;

/** Takes a value out of the list or puts it in. */
export const toggled = <T>(list: readonly T[], value: T): T[] =>
  list.includes(value) ? list.filter((each) => each !== value) : [...list, value];
