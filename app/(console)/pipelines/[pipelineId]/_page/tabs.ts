import type { Role } from "@/server/domain/access/roles";
import type { PipelineDetail } from "../../_parts/views";

export const PIPELINE_TABS = ["overview", "runs", "schedule", "versions", "history"] as const;
export type PipelineTab = (typeof PIPELINE_TABS)[number];

/** What every face of the page gets. */
export interface PipelineProps {
  projectId: string;
  pipeline: PipelineDetail;
  /** Of whoever looks, in the pipeline's project. */
  role: Role | null;
}
