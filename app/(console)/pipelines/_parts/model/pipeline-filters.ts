import { RUN_LOOKS } from "@/app/_status/run-states";
import type { PipelineRow } from "../views";

/** By the last run: in trouble, under way, well, or never run. */
export const LAST_RUNS = ["broken", "live", "well", "never"] as const;
export type LastRun = (typeof LAST_RUNS)[number];

/** By how it stands itself. */
export const STANDINGS = ["scheduled", "disabled", "draft", "archived"] as const;
export type Standing = (typeof STANDINGS)[number];

export interface PipelineFilters {
  readonly search: string;
  readonly owner: string | null;
  readonly last: LastRun | null;
  readonly standing: Standing | null;
}

const MAX_SEARCH = 200;

/** Reads an address that a person may have written: what it does not know it passes over. */
export function readFilters(read: (name: string) => string): PipelineFilters {
  return {
    search: read("q").slice(0, MAX_SEARCH),
    owner: read("owner") || null,
    last: LAST_RUNS.find((each) => each === read("last")) ?? null,
    standing: STANDINGS.find((each) => each === read("show")) ?? null,
  };
}

export const isFiltered = ({ search, owner, last, standing }: PipelineFilters): boolean =>
  search !== "" || owner !== null || last !== null || standing !== null;

type Judged = Pick<PipelineRow, "owner" | "lastRun" | "enabled" | "draftDiffers" | "liveVersionNo" | "nextFireAt">;

export function lastRunOf({ lastRun }: Pick<PipelineRow, "lastRun">): LastRun {
  if (lastRun === null) return "never";
  if (RUN_LOOKS[lastRun.state].unhealthy) return "broken";
  return lastRun.state === "PENDING" || lastRun.state === "RUNNING" ? "live" : "well";
}

function standsSo(row: Judged, standing: Standing): boolean {
  switch (standing) {
    case "scheduled":
      return row.nextFireAt !== null;
    case "disabled":
      return !row.enabled;
    case "draft":
      return row.draftDiffers || row.liveVersionNo === null;
    case "archived":
      return true;
  }
}

/** What the server does not filter by; the search and the archive are its. */
export const matches = (row: Judged, { owner, last, standing }: PipelineFilters): boolean =>
  (owner === null || row.owner === owner) && (last === null || lastRunOf(row) === last) && (standing === null || standsSo(row, standing));

export const ownersOf = (rows: readonly Pick<PipelineRow, "owner">[]): string[] =>
  [...new Set(rows.map(({ owner }) => owner))].sort((a, b) => a.localeCompare(b));

export const SORTS = ["name", "state", "next", "changed"] as const;
export type Sort = { readonly key: (typeof SORTS)[number]; readonly down: boolean };

type Sortable = Judged & Pick<PipelineRow, "title" | "updatedAt">;

const GRAVITY: readonly LastRun[] = ["broken", "live", "well", "never"];

/** `next`, or `-next` the other way round; by name where the address says nothing. */
export function readSort(text: string): Sort {
  const key = SORTS.find((each) => each === text.replace(/^-/, ""));
  return key ? { key, down: text.startsWith("-") } : { key: "name", down: false };
}

export const sortAddress = ({ key, down }: Sort): string => (key === "name" && !down ? "" : `${down ? "-" : ""}${key}`);

function compare(a: Sortable, b: Sortable, key: Sort["key"]): number {
  const time = (at: Date | null) => at?.getTime() ?? Number.POSITIVE_INFINITY;
  switch (key) {
    case "name":
      return 0;
    case "state":
      return GRAVITY.indexOf(lastRunOf(a)) - GRAVITY.indexOf(lastRunOf(b));
    case "next":
      return time(a.nextFireAt) - time(b.nextFireAt) || 0;
    case "changed":
      return b.updatedAt.getTime() - a.updatedAt.getTime();
  }
}

/** What no sort tells apart stands by its title. */
export function sorted<R extends Sortable>(rows: readonly R[], { key, down }: Sort): R[] {
  return [...rows].sort((a, b) => (down ? -1 : 1) * (compare(a, b, key) || a.title.localeCompare(b.title)));
}
