import type { Outputs } from "../_query/outputs";

export type AuditRow = Outputs["audit"]["list"]["items"][number];
