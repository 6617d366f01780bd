import type { Outputs } from "../../../_query/outputs";

export type Preview = Outputs["imports"]["previewCrontab"];
export type PreviewLine = Preview["lines"][number];
export type Offer = Extract<PreviewLine, { kind: "entry" | "commented-entry" }>;
export type Note = Offer["warnings"][number];
export type Existing = Preview["existing"][number];
export type ImportResult = Outputs["imports"]["importCrontab"];

export const isOffer = (line: PreviewLine): line is Offer => line.kind === "entry" || line.kind === "commented-entry";
