import type { Grade } from "@/server/domain/alert/grade";
import type { ReviewForm } from "./review";

export interface ReviewDocument {
  readonly no: number;
  readonly code: string;
  readonly pipeline: string | null;
  readonly severity: Grade;
  readonly owner: string | null;
  readonly openedAt: Date;
  readonly acknowledgedAt: Date | null;
  readonly resolvedAt: Date | null;
  readonly closedAt: Date | null;
  readonly facts: {
    readonly detectionMs: number | null;
    readonly runsFailed: number;
    readonly runsLate: number;
    readonly attempts: number;
  };
  readonly form: ReviewForm;
  readonly actions: readonly {
    readonly what: string;
    readonly owner: string | null;
    readonly due: string | null;
    readonly proof: string;
    readonly doneAt: Date | null;
    readonly doneNote: string | null;
  }[];
}

const WORDS: Readonly<Record<string, string>> = { code_defect: "code defect" };
const word = (value: string) => WORDS[value] ?? value;
const instant = (at: Date | null) => at?.toISOString() ?? "–";
const seconds = (ms: number | null) => (ms === null ? "–" : `${Math.round(ms / 1_000)} s`);
const since = (from: Date, to: Date | null) => seconds(to && to.getTime() - from.getTime());

/** What a person wrote stays text, whatever it looks like. */
const plain = (text: string) => text.replace(/[\\`*_{}[\]<>#|~]/g, "\\$&").replace(/\r?\n/g, "  \n");
const cell = (text: string) => plain(text).replace(/\s*\n/g, " ");

/** A post-incident review for a wiki or a ticket; every instant in UTC. */
export function reviewMarkdown({ form, facts, actions, ...incident }: ReviewDocument): string {
  const lines = [
    `# Incident ${incident.no}: ${cell(incident.code)}`,
    "",
    `- Severity: ${incident.severity}`,
    `- Pipeline: ${incident.pipeline === null ? "–" : cell(incident.pipeline)}`,
    `- Owner: ${incident.owner === null ? "–" : cell(incident.owner)}`,
    `- Opened: ${instant(incident.openedAt)}`,
    `- Acknowledged: ${instant(incident.acknowledgedAt)} (after ${since(incident.openedAt, incident.acknowledgedAt)})`,
    `- Resolved: ${instant(incident.resolvedAt)} (after ${since(incident.openedAt, incident.resolvedAt)})`,
    `- Closed: ${instant(incident.closedAt)}`,
    `- Detection: ${seconds(facts.detectionMs)} from the first failure to the first alert`,
    `- Impact: ${facts.runsFailed} runs failed, ${facts.runsLate} late, ${facts.attempts} attempts`,
    `- Error codes: ${form.codes.map((code) => `\`${code}\``).join(", ") || "–"}`,
    "",
    "## Root cause",
    "",
    form.rootCause === null ? "–" : word(form.rootCause),
    ...(form.factors.length > 0 ? ["", `Contributing: ${form.factors.map(word).join(", ")}`] : []),
    ...(form.impact.length > 0 ? ["", `Reached: ${form.impact.join(", ")}`] : []),
    ...(form.summary === "" ? [] : ["", "## What happened", "", plain(form.summary)]),
    "",
    "## Fix",
    "",
    plain(form.fix) || "–",
    "",
    "## Prevention",
    "",
    "| What | Owner | Due | Proof | Done |",
    "|---|---|---|---|---|",
    ...actions.map(
      ({ what, owner, due, proof, doneAt, doneNote }) =>
        `| ${cell(what)} | ${cell(owner ?? "–")} | ${due ?? "–"} | ${cell(proof)} | ${doneAt ? `${doneAt.toISOString()} ${cell(doneNote ?? "")}`.trim() : "open"} |`,
    ),
  ];
  return `${lines.join("\n")}\n`;
}
