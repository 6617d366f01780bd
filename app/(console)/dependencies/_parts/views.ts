import type { Outputs } from "../../_query/outputs";

export type DependencyLine = Outputs["dependencies"]["list"]["items"][number];
export type DependencyDetails = Outputs["dependencies"]["get"];
export type Health = NonNullable<DependencyDetails["whole"]>;
