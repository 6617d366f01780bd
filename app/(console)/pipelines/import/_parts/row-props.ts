import type { Dispatch } from "react";
import type { ChoiceChange } from "./model/choices";
import type { Existing, PreviewLine } from "./views";

export interface PreviewRowProps {
  line: PreviewLine;
  ticked: boolean;
  /** Named by a person, for a line whose own zone does not exist. */
  zone: string | undefined;
  name: string | undefined;
  existing: Existing | undefined;
  nowMs: number;
  dispatch: Dispatch<ChoiceChange>;
}
