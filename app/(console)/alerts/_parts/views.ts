import type { Outputs } from "../../_query/outputs";

export type AlertItem = Outputs["alerts"]["list"]["items"][number];
export type AlertDetails = Outputs["alerts"]["get"];
export type Suppressor = AlertItem["heldBy"][number];
export type Retrying = Outputs["alerts"]["retrying"][number];
export type SilenceItem = Outputs["silences"]["list"]["items"][number];
export type Channel = Outputs["channels"]["list"][number];
export type Delivery = Outputs["channels"]["deliveries"]["items"][number];
export type Policy = Outputs["alerts"]["policy"]["policy"];
export type AlertSimulation = Outputs["alerts"]["simulate"];
export type NoiseLine = Outputs["alerts"]["noise"][number];

export type Rule = Policy["rules"][number];

export interface PolicyPart {
  readonly projectId: string;
  readonly policy: Policy;
  readonly revision: number;
  readonly may: boolean;
}
