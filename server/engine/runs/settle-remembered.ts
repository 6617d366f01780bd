import { type Applied, applyDecisions, type StateWrites } from "@/db/statements/state/apply-decisions";
import { readRuns } from "@/db/statements/state/read-runs";
import type { AttemptReport, ClaimedNode } from "@/server/domain/run/work";
import { type Ctx, isLostRace } from "@/server/engine/context";
import type { Routing } from "@/server/engine/routing/routing-tables";
import { type Committed, committedOf } from "./commit-runs";
import { claimedNodes, handOn, type Taken } from "./hand-on";
import { feed, type OpenRun } from "./open-run";
import { eventOf } from "./report-event";
import { resolveWaits } from "./resolve-waits";
import { hasFailed, routed, routingFor } from "./route-event";
import type { RunMemory } from "./run-memory";
import type { SettleInput } from "./settle-input";
import { loadVersions, versionIn } from "./versions";
import { writesOf } from "./writes";

export interface SettledByMemory {
  /** What is settled; the others are for the locked path. */
  readonly settled: ReadonlySet<AttemptReport>;
  readonly handedOn: readonly ClaimedNode[];
  readonly committed: Committed;
}

/** Reports by their runs, in the order of the reports. */
type ByRun = ReadonlyMap<string, readonly AttemptReport[]>;

interface Decided {
  readonly opens: readonly OpenRun[];
  readonly taken: readonly Taken[];
  readonly writes: StateWrites;
  readonly now: Date;
}

/**
 * Settles by what the worker remembers: decides without a lock and commits with one statement, which writes a run only where
 * nothing has come between. Runs that are not remembered are read by one statement for all of them. What does not fit (a run
 * that has moved on, a report that came too late, a step that needs two statements) is left to the locked path.
 */
export async function settleRemembered(ctx: Ctx, input: SettleInput, memory: RunMemory): Promise<SettledByMemory> {
  const byRun = groupByRun(input.reports);
  await recall(ctx, memory, [...byRun.keys()]);
  const routing = await routingFor(ctx, ctx.db, failingIn(input.reports, memory));
  const candidates = new Set([...byRun.keys()]);
  let { free } = input;
  for (;;) {
    const decided = await decide(ctx, { ...input, free }, { memory, routing }, byRun, candidates);
    if (decided.opens.length === 0) return NOTHING;
    const applied = await apply(ctx, input, memory, decided);
    if (applied === "lost") return NOTHING;
    if (applied.leased === false) free = {};
    else if (applied.limited.length > 0) memory.limit(applied.limited);
    else return finish(ctx, memory, byRun, decided, applied);
  }
}

const NOTHING: SettledByMemory = { settled: new Set(), handedOn: [], committed: committedOf([]) };

function groupByRun(reports: readonly AttemptReport[]): ByRun {
  const byRun = new Map<string, AttemptReport[]>();
  for (const report of reports) {
    const known = byRun.get(report.runId);
    if (known) known.push(report);
    else byRun.set(report.runId, [report]);
  }
  return byRun;
}

/** Reads the runs that are not remembered, and the database's clock where it has not been heard for long. */
async function recall(ctx: Ctx, memory: RunMemory, runIds: readonly string[]): Promise<void> {
  const missing = runIds.filter((id) => memory.find(id) === null);
  if (missing.length === 0 && memory.time.now() !== null) return;
  const { runs, at } = await readRuns(ctx.db, missing);
  memory.time.hear(at);
  const versions = await loadVersions(
    ctx.db,
    runs.map(({ row }) => row.versionId),
  );
  for (const run of runs) memory.keep(run, versionIn(versions, run.row.versionId));
}

/** What a decision goes by beside the reports. */
interface Known {
  readonly memory: RunMemory;
  readonly routing: Routing;
}

const failingIn = (reports: readonly AttemptReport[], memory: RunMemory) =>
  reports.filter(hasFailed).map(({ runId }) => ({ hasFailed: true, projectId: memory.find(runId)?.row.projectId }));

async function decide(ctx: Ctx, input: SettleInput, known: Known, byRun: ByRun, candidates: Set<string>): Promise<Decided> {
  const { worker, free } = input;
  const { memory } = known;
  const now = memory.time.now() ?? (await clock(ctx, memory));
  const opens: OpenRun[] = [];
  for (const [runId, reports] of byRun) {
    const open = candidates.has(runId) ? decideRun(ctx, input, known, runId, reports, now) : null;
    if (open) opens.push(open);
    else candidates.delete(runId);
  }
  for (const open of opens) await resolveWaits(ctx.db, open, now);
  const isLimited = (group: string) => memory.isLimited(group);
  const taken = handOn(ctx, opens, input.reports, { worker, free, now, isLimited });
  const [writes, ...later] = writesOf(ctx, opens, now);
  if (later.length === 0 && writes) return { opens, taken, writes, now };
  for (const open of opens) if (writesOf(ctx, [open], now).length > 1) candidates.delete(open.row.id);
  return decide(ctx, input, known, byRun, candidates);
}

async function clock(ctx: Ctx, memory: RunMemory): Promise<Date> {
  const { at } = await readRuns(ctx.db, []);
  memory.time.hear(at);
  return memory.time.now() ?? at;
}

/** Null where a report does not fit what is remembered: it came too late, or the memory is too old. */
function decideRun(
  ctx: Ctx,
  { worker }: SettleInput,
  { memory, routing }: Known,
  runId: string,
  reports: readonly AttemptReport[],
  now: Date,
): OpenRun | null {
  const known = memory.find(runId);
  if (!known) return null;
  const open = memory.open(known);
  const actor = { kind: "worker", id: worker.id, label: worker.id } as const;
  for (const report of reports) {
    const output = report.kind === "succeeded" ? report.output : undefined;
    const event = routed(eventOf(report, ctx.random()), open, routing);
    const decision = feed(open, event, now, { actor, report, output });
    // A pause is written on every node of the run, which this statement does not do.
    if (decision.kind === "applied" && decision.next.pausedByPerson === open.row.pausedByPerson) continue;
    memory.forget(runId);
    return null;
  }
  return open;
}

async function apply(ctx: Ctx, { worker }: SettleInput, memory: RunMemory, { opens, taken, writes }: Decided): Promise<Applied | "lost"> {
  const groups = new Set(taken.map(({ open, key }) => open.version.plan.byKey.get(key)?.group ?? ""));
  try {
    return await applyDecisions(ctx.db, writes, taken.length > 0 ? { worker, groups: [...groups] } : null);
  } catch (error) {
    // Which run it was is not told; and of an answer that was lost nobody knows.
    for (const { row } of opens) memory.forget(row.id);
    if (!isLostRace(error)) throw error;
    ctx.log.debug({ reports: opens.length }, "a claim came between; settled under locks");
    return "lost";
  }
}

async function finish(
  ctx: Ctx,
  memory: RunMemory,
  byRun: ByRun,
  decided: Decided,
  { at, refused, freed }: Applied,
): Promise<SettledByMemory> {
  const { opens, taken, writes, now } = decided;
  if (at) memory.time.hear(at);
  const gone = new Set(refused);
  for (const id of gone) memory.forget(id);
  const done = opens.filter(({ row }) => !gone.has(row.id));
  const outputs = new Map(done.map((open) => [open, memory.find(open.row.id)?.outputs ?? new Map<string, unknown>()]));
  const handedOn = taken.filter(({ open }) => !gone.has(open.row.id));
  remember(memory, done, writes);
  return {
    settled: new Set(done.flatMap(({ row }) => byRun.get(row.id) ?? [])),
    handedOn: await claimedNodes(ctx.db, handedOn, now, (open) => outputs.get(open) ?? new Map()),
    committed: { ...committedOf(done), freed },
  };
}

function remember(memory: RunMemory, done: readonly OpenRun[], writes: StateWrites): void {
  const rows = new Map(writes.runs.map((row) => [row.id, row]));
  const nodes = new Map(done.map(({ row }) => [row.id, [] as StateWrites["nodes"][number]["row"][]]));
  for (const { row } of writes.nodes) nodes.get(row.runId)?.push(row);
  for (const open of done) {
    const row = rows.get(open.row.id);
    if (row) memory.advance(open, row, nodes.get(row.id) ?? []);
  }
}
