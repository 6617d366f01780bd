import type { inferRouterOutputs } from "@trpc/server";
import type { AppRouter } from "@/server/api/root";

type Outputs = inferRouterOutputs<AppRouter>["runs"];

export type RunRow = Outputs["list"]["items"][number];
export type RunView = Outputs["get"];
export type NodeView = RunView["nodes"][number];
export type AttemptView = NodeView["attempts"][number];
export type RunEventView = Outputs["events"]["items"][number];
export type LogView = Outputs["logs"];
export type InterventionPreview = Outputs["previewRerun"];
export type Intervened = Outputs["retry"];
export type TriggerKind = RunRow["trigger"]["kind"];

export const TRIGGER_KINDS = ["schedule", "manual", "api", "rerun"] as const satisfies readonly TriggerKind[];

/** Business keys that say something: a parameter that was left empty names no object. */
export const filledKeys = (keys: RunRow["businessKeys"]): [string, string][] => Object.entries(keys).filter(([, value]) => value !== "");
