import type { Outputs } from "../../_query/outputs";

export type WorkerView = Outputs["workers"]["list"]["workers"][number];
export type GroupView = Outputs["workers"]["list"]["groups"][number];
export type BreakerView = Outputs["breakers"]["list"][number];
export type BoardView = Outputs["breakers"]["board"];
export type PoolView = Outputs["pools"]["list"][number];
