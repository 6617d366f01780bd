import { NODE_ACTIONS, type NodeAction } from "@/server/domain/run/possible";
import type { Outputs } from "../../_query/outputs";

export type ReviewRow = Outputs["reviews"]["list"]["items"][number];
export type ReviewSummary = Outputs["reviews"]["summary"];

export const keyOf = ({ run, node }: ReviewRow): string => `${run.id}/${node.key}/${node.generation}`;

/** What is done to many at once; a rerun from here is looked at one by one. */
export const BULK_ACTIONS: readonly NodeAction[] = NODE_ACTIONS.filter((action) => action !== "rerun-from");

export const isOverdue = ({ dueBy }: ReviewRow, nowMs: number): boolean => new Date(dueBy).getTime() < nowMs;
