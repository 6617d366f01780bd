import type { Outputs } from "../../_query/outputs";

export type LetterRow = Outputs["deadLetters"]["list"]["items"][number];
export type LetterView = Outputs["deadLetters"]["get"];
export type LetterAct = "release" | "discard";
