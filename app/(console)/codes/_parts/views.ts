import type { Outputs } from "../../_query/outputs";

export type CodeLine = Outputs["codes"]["list"]["items"][number];
export type CodeDetails = Outputs["codes"]["get"];
export type Cluster = Outputs["codes"]["triage"]["items"][number];

/** The words of a code in the reader's language. */
export const inLanguage = (code: Pick<CodeDetails, "titleEn" | "titleZh" | "meaningEn" | "meaningZh">, locale: string) =>
  locale.startsWith("zh") ? { title: code.titleZh, meaning: code.meaningZh } : { title: code.titleEn, meaning: code.meaningEn };
