import type { Outputs } from "../_query/outputs";

export type FireLedger = Outputs["fires"]["list"];
export type FireView = FireLedger["items"][number];
export type FireSums = NonNullable<FireLedger["sums"]>;
export type ScheduleView = Outputs["schedules"]["list"]["items"][number];
