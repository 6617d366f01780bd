import type { Outputs } from "../../_query/outputs";

export type IncidentLine = Outputs["incidents"]["list"]["items"][number];
export type IncidentDetails = Outputs["incidents"]["get"];
export type TimelineLine = Outputs["incidents"]["timeline"]["items"][number];
export type ActionLine = IncidentDetails["actions"][number];
