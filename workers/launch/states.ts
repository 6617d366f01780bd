// `npm run states`: writes docs/states.md from the transition tables; a test says when it is out of date.
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { LIVE_NODE_STATES, TERMINAL_NODE_STATES, TERMINAL_RUN_STATES } from "../../server/domain/run/states";
import { INITIAL_RUN_STATES, NODE_TRANSITIONS, RUN_TRANSITIONS, type TransitionRule } from "../../server/domain/run/transitions";

export const STATES_FILE = fileURLToPath(new URL("../../docs/states.md", import.meta.url));

/** Guards as a reader would say them. */
const GUARDS = {
  freshToken: "its token is current",
  budgetLeft: "a retry is left",
  deadlineAhead: "it can begin before the total deadline",
};

/** A diagram reads best with one arrow between two states, that names all the events which take it. */
function arrowsOf(): Map<string, string[]> {
  const arrows = new Map<string, string[]>();
  const draw = (from: string, to: string, label: string) => {
    const name = `${from} --> ${to}`;
    arrows.set(name, [...(arrows.get(name) ?? []), label]);
  };
  for (const [from, rules] of Object.entries(NODE_TRANSITIONS)) {
    for (const [event, { to, otherwise }] of Object.entries(rules)) {
      draw(from, to, event);
      if (otherwise) draw(from, otherwise, `${event} (else)`);
    }
  }
  return arrows;
}

const conditionOf = ({ needs = [] }: TransitionRule): string => needs.map((guard) => GUARDS[guard]).join("; ");

const rowsOf = (): string[] =>
  Object.entries(NODE_TRANSITIONS).flatMap(([from, rules]) =>
    Object.entries(rules).map(([event, rule]) => `| ${from} | ${event} | ${rule.to} | ${conditionOf(rule)} | ${rule.otherwise ?? ""} |`),
  );

const fenced = (lines: readonly string[]): string[] => ["```mermaid", "stateDiagram-v2", ...lines.map((line) => `  ${line}`), "```"];

/** The document, word for word. */
export function statesDocument(): string {
  const nodes = [...arrowsOf()].map(([arrow, events]) => `${arrow}: ${events.join(", ")}`);
  const runs = Object.entries(RUN_TRANSITIONS).flatMap(([from, targets]) => targets.map((to) => `${from} --> ${to}`));
  return [
    "# States of nodes and runs",
    "",
    "<!-- Written by `npm run states` from server/domain/run/transitions.ts; do not edit by hand. -->",
    "",
    "One table in `server/domain/run/transitions.ts` says which steps there are. What is not in it cannot be committed: the",
    "engine refuses it, and so does a trigger that Postgres holds from the same table. What fits no row is refused, or, where a",
    "report comes late or twice, recorded and never applied.",
    "",
    "## Nodes",
    "",
    `A node is born PENDING, or QUEUED where it can start at once. ${TERMINAL_NODE_STATES.join(", ")} are ends: only a person`,
    "leaves them, or MANUAL_REVIEW, and each time a new generation begins, with a fresh retry budget.",
    `While a node is ${LIVE_NODE_STATES.join(", ")}, something will move it without anybody's help, or a person is asked already.`,
    "",
    ...fenced(["[*] --> PENDING", ...nodes]),
    "",
    "| from | event | to | only when | otherwise |",
    "|---|---|---|---|---|",
    ...rowsOf(),
    "",
    "A report whose token is spent is superseded, whatever else holds.",
    "",
    "## Runs",
    "",
    "The state of a run is a function of its nodes and of what people asked for; it is taken after every step. So only these",
    `steps can come about, and only an intervention leaves ${TERMINAL_RUN_STATES.join(", ")}.`,
    "",
    ...fenced([...INITIAL_RUN_STATES.map((state) => `[*] --> ${state}`), ...runs]),
    "",
  ].join("\n");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(STATES_FILE, statesDocument());
