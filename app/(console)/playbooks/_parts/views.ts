import type { Outputs } from "../../_query/outputs";

type Listed = Outputs["playbooks"]["list"];
export type OwnPlaybook = Listed["own"][number];
export type ShippedKey = Listed["shipped"][number]["key"];
export type CheckResult = Outputs["playbooks"]["check"];

/** One playbook as the screens show it, whoever wrote it. */
export interface Playbook {
  readonly key: string;
  readonly title: string;
  readonly symptom: string;
  readonly meaning: string;
  readonly link: string | null;
  readonly checks: readonly CheckResult["check"][];
  readonly patterns: readonly string[];
  /** Null for a shipped one, which nobody changes. */
  readonly own: OwnPlaybook | null;
}
