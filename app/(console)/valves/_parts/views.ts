import type { Outputs } from "../../_query/outputs";

export type ValveRow = Outputs["valves"]["list"]["items"][number];
