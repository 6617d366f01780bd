import type { RoutingRule } from "@/server/domain/routing/rule";
import type { Outputs } from "../../_query/outputs";

export type Table = Outputs["routing"]["get"];
export type Simulation = Outputs["routing"]["simulate"];
/** A rule while it is being changed; its key stays with it wherever it is moved. */
export interface DraftRule {
  readonly key: string;
  readonly rule: RoutingRule;
}
