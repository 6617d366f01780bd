import type { Outputs } from "../_query/outputs";

export type HomeView = Outputs["home"]["get"];
export type Platform = HomeView["platform"];
export type BrokenLine = HomeView["broken"][number];
export type LateLine = HomeView["lateOrSilent"][number];
export type ChangeLine = HomeView["changed"][number];
export type NextFire = HomeView["next"]["items"][number];
