import type { Played } from "./play";

const seconds = (ms: number) => (ms < 10_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`);

/** One line of a row: verdict, what was measured, what it stood on; and beneath it what did not hold. */
export function lineOf(played: Played): string {
  const { row, backend, verdict, title, tookMs, measures, tally, why, notes, violations, unmet, load } = played;
  const mark = { passed: "ok    ", failed: "FAILED", impossible: "not   " }[verdict];
  const told =
    why ??
    measures.map(({ name, ms, limitMs }) => `${name} ${seconds(ms)}${limitMs === null ? "" : ` (≤ ${seconds(limitMs)})`}`).join(", ");
  const on = tally
    ? `; ${tally.runs} runs, ${tally.nodes} nodes, ${tally.fires} fires, ${tally.maybeRepeated} maybe repeated, ${tally.late} late; load ${load} a core`
    : "";
  const head = `${mark} ${row.padEnd(3)} ${backend.padEnd(8)} ${seconds(tookMs).padStart(7)}  ${title}: ${told}${on}`;
  const wrong = [
    ...unmet.map(({ what, evidence }) => `   unmet: ${what}${evidence === undefined ? "" : ` ${brief(evidence)}`}`),
    ...violations.map(
      ({ id, title: what, evidence }) => `   ${id} does not hold: ${what}\n${evidence.map((each) => `      ${brief(each)}`).join("\n")}`,
    ),
  ];
  return [head, ...notes.map((note) => `   ${note}`), ...wrong].join("\n");
}

const brief = (value: unknown): string => JSON.stringify(value)?.slice(0, 600) ?? String(value);

/** The greatest of each measured time over all rows, and the counts. */
export function summaryOf(played: readonly Played[], tookMs: number): string {
  const worst = new Map<string, { ms: number; limitMs: number | null; n: number }>();
  for (const { row, measures } of played) {
    for (const { name, ms, limitMs } of measures) {
      const known = worst.get(`${row} ${name}`);
      worst.set(`${row} ${name}`, { ms: Math.max(ms, known?.ms ?? 0), limitMs, n: (known?.n ?? 0) + 1 });
    }
  }
  const lines = [...worst]
    .filter(([, { limitMs }]) => limitMs !== null)
    .map(([name, { ms, limitMs, n }]) => `   ${name}: ${seconds(ms)} of ${seconds(limitMs ?? 0)}, ${n} times`);
  const count = (verdict: Played["verdict"]) => played.filter((each) => each.verdict === verdict).length;
  const impossible = count("impossible");
  return [
    "greatest measured times:",
    ...lines,
    `${count("passed")} rows passed, ${count("failed")} failed${impossible > 0 ? `, ${impossible} not possible here` : ""} in ${seconds(tookMs)}`,
  ].join("\n");
}
