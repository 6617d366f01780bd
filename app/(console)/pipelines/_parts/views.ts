import type { Outputs } from "../../_query/outputs";

export type PipelineRow = Outputs["pipelines"]["list"]["items"][number];
export type PipelineDetail = Outputs["pipelines"]["get"];
export type PipelineRun = PipelineRow["recentRuns"][number];
