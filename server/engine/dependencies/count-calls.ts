import { and, eq, lt, sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { dependencies, dependencyCalls } from "@/db/schema/dependencies";
import { countingLagMs, moveCursor, readCursor } from "@/db/statements/counting/cursor";
import { type CallRow, callsEnded } from "@/db/statements/counting/dependency-calls";
import { addHistograms } from "@/server/domain/dependency/histogram";
import { addTally, type Tally } from "@/server/domain/root-cause/counts";
import { inTransaction } from "@/server/engine/context";
import { requireTerm, requireTermToLook } from "@/server/engine/leadership/require-term";
import type { Recover } from "@/server/engine/runs/recover";
import { loadVersions, type Version } from "@/server/engine/runs/versions";
import { storedNow } from "@/server/engine/stored-clock";

const CURSOR = "dependencies";
const SLICE_MS = 15_000;
const KEEP_EVERY_MS = 30_000;
/** Names of a project; hosts that are put together from data could be without end. What comes after counts under this name. */
const MOST_NAMES = 300;
export const OTHER_NAMES = "*";
const MOST_CODES = 20;
const KEPT = { minute: sql`interval '2 days'`, hour: sql`interval '35 days'` } as const;
/** Rows that one look removes. */
const REMOVED = 500;

/**
 * Counts the calls that ended since the last look by host and by declared resource, into minutes and hours. Cursor and counts
 * move in one fenced commit: each attempt counts once.
 */
export const countCalls: Recover = async (ctx, fence) => {
  const now = await storedNow(ctx, ctx.db);
  const horizon = new Date(now.getTime() - (await countingLagMs(ctx.db)));
  const from = await readCursor(ctx.db, CURSOR);
  const since = from ?? new Date(horizon.getTime() - SLICE_MS);
  const to = new Date(Math.min(horizon.getTime(), since.getTime() + SLICE_MS));
  const more = to < horizon;
  if (to <= since) {
    await requireTermToLook(ctx.db, fence);
    return { count: 0, more: false };
  }
  const rows = await callsEnded(ctx.db, { from: since, to });
  if (rows.length === 0 && from !== null && !more && to.getTime() - since.getTime() < KEEP_EVERY_MS / 2) {
    await requireTermToLook(ctx.db, fence);
    return { count: 0, more: false };
  }
  const versions = await loadVersions(
    ctx.db,
    rows.map(({ versionId }) => versionId),
  );
  const cells = cellsOf(rows, versions);
  const counted = await inTransaction(ctx, async (tx) => {
    await requireTerm(tx, fence);
    if (!(await moveCursor(tx, CURSOR, from, to))) return false;
    await writeCells(tx, cells);
    await removeOld(tx, to);
    return true;
  });
  const count = rows.reduce((sum, { calls }) => sum + calls, 0);
  return { count: Math.max(count, more ? 1 : 0), more: more && counted };
};

interface Cell {
  readonly projectId: string;
  readonly kind: "host" | "resource";
  readonly name: string;
  readonly grain: "minute" | "hour";
  readonly at: Date;
  calls: number;
  errors: number;
  buckets: Record<string, number>;
  codes: Record<string, number>;
}

const hourOf = (minute: Date) => new Date(Math.floor(minute.getTime() / 3_600_000) * 3_600_000);
const keyOf = ({ projectId, kind, name, grain, at }: Pick<Cell, "projectId" | "kind" | "name" | "grain" | "at">) =>
  `${projectId} ${kind} ${grain} ${at.getTime()} ${name}`;

/** A call counts for its host and for each resource that its node declares, in its minute and its hour. */
function cellsOf(rows: readonly CallRow[], versions: ReadonlyMap<string, Version>): readonly Cell[] {
  const cells = new Map<string, Cell>();
  for (const row of rows) {
    const node = versions.get(row.versionId)?.definition.spec.nodes.find(({ key }) => key === row.nodeKey);
    const resources = new Set([...(node?.reads ?? []), ...(node?.writes ?? [])]);
    const names = [
      ...(row.host === null ? [] : [{ kind: "host" as const, name: row.host }]),
      ...[...resources].map((name) => ({ kind: "resource" as const, name })),
    ];
    for (const { kind, name } of names) {
      addCall(cells, { projectId: row.projectId, kind, name, grain: "minute", at: row.minute }, row);
      addCall(cells, { projectId: row.projectId, kind, name, grain: "hour", at: hourOf(row.minute) }, row);
    }
  }
  return [...cells.values()];
}

function addCall(cells: Map<string, Cell>, place: Pick<Cell, "projectId" | "kind" | "name" | "grain" | "at">, row: CallRow): void {
  const cell = cells.get(keyOf(place)) ?? { ...place, calls: 0, errors: 0, buckets: {}, codes: {} };
  cells.set(keyOf(place), cell);
  cell.calls += row.calls;
  cell.buckets[row.bucket] = (cell.buckets[row.bucket] ?? 0) + row.calls;
  if (row.code === null) return;
  cell.errors += row.calls;
  cell.codes[row.code] = (cell.codes[row.code] ?? 0) + row.calls;
}

async function writeCells(tx: Tx, cells: readonly Cell[]): Promise<void> {
  const byProject = new Map<string, Cell[]>();
  for (const cell of cells) byProject.set(cell.projectId, [...(byProject.get(cell.projectId) ?? []), cell]);
  for (const [projectId, own] of byProject) {
    const names = await takeNames(tx, projectId, own);
    for (const cell of foldUnnamed(own, names)) await addCell(tx, cell);
  }
}

const nameOf = ({ kind, name }: { readonly kind: string; readonly name: string }) => `${kind} ${name}`;

/** Those without a name of their own fall together, so that hosts without end cost no more than the names that are kept. */
function foldUnnamed(cells: readonly Cell[], names: ReadonlySet<string>): readonly Cell[] {
  const folded = new Map<string, Cell>();
  for (const each of cells) {
    const cell = names.has(nameOf(each)) ? each : { ...each, name: OTHER_NAMES };
    const same = folded.get(keyOf(cell));
    folded.set(keyOf(cell), same ? addCells(same, cell) : cell);
  }
  return [...folded.values()];
}

const addCells = (a: Cell, b: Cell): Cell => ({
  ...a,
  calls: a.calls + b.calls,
  errors: a.errors + b.errors,
  buckets: addHistograms(a.buckets, b.buckets),
  codes: addHistograms(a.codes, b.codes),
});

/** Those that have a place of their own; new ones as long as there is room. */
async function takeNames(tx: Tx, projectId: string, cells: readonly Cell[]): Promise<ReadonlySet<string>> {
  const rows = await tx.select().from(dependencies).where(eq(dependencies.projectId, projectId));
  const known = new Set(rows.map(nameOf));
  const seen = new Map<string, { projectId: string; kind: string; name: string; firstSeenAt: Date; lastSeenAt: Date }>();
  for (const { kind, name, grain, at } of cells) {
    if (grain !== "minute") continue;
    if (known.size < MOST_NAMES) known.add(nameOf({ kind, name }));
    const kept = known.has(nameOf({ kind, name })) ? name : OTHER_NAMES;
    seen.set(nameOf({ kind, name: kept }), { projectId, kind, name: kept, firstSeenAt: at, lastSeenAt: at });
  }
  if (seen.size === 0) return known;
  await tx
    .insert(dependencies)
    .values([...seen.values()])
    .onConflictDoUpdate({
      target: [dependencies.projectId, dependencies.kind, dependencies.name],
      set: { lastSeenAt: sql`excluded.last_seen_at` },
    });
  return known;
}

async function addCell(tx: Tx, { projectId, kind, name, grain, at, calls, errors, buckets, codes }: Cell): Promise<void> {
  const place = and(
    eq(dependencyCalls.projectId, projectId),
    eq(dependencyCalls.kind, kind),
    eq(dependencyCalls.name, name),
    eq(dependencyCalls.grain, grain),
    eq(dependencyCalls.at, at),
  );
  const [before] = await tx.select().from(dependencyCalls).where(place);
  const counted = Object.entries(codes).map(([value, count]) => ({ value, count }));
  const tally: Tally = before?.codes ?? { values: {}, other: 0 };
  const sums = {
    calls: (before?.calls ?? 0) + calls,
    errors: (before?.errors ?? 0) + errors,
    buckets: addHistograms(before?.buckets ?? {}, buckets),
    codes: addTally(tally, counted, MOST_CODES),
  };
  if (before) await tx.update(dependencyCalls).set(sums).where(place);
  else await tx.insert(dependencyCalls).values({ projectId, kind, name, grain, at, ...sums });
}

async function removeOld(tx: Tx, to: Date): Promise<void> {
  const end = sql`${to.toISOString()}::timestamptz`;
  for (const [grain, kept] of Object.entries(KEPT)) {
    const old = sql`select project_id, kind, name, grain, at from dependency_calls where grain = ${grain} and at < ${end} - ${kept} order by at limit ${REMOVED}`;
    await tx.execute(sql`delete from dependency_calls where (project_id, kind, name, grain, at) in (${old})`);
  }
  await tx.delete(dependencies).where(lt(dependencies.lastSeenAt, sql`${end} - ${KEPT.hour}`));
}
