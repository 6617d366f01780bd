import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { audit, auditHeads } from "@/db/schema/platform";
import { actingAs, makeProject, makeUser, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import type { Ctx } from "@/server/engine/context";
import { inTransaction } from "@/server/engine/context";
import { listAudit } from "./list-audit";
import { verifyAudit } from "./verify-audit";
import { type AuditEntry, writeAudit } from "./write-audit";

let database: TestDatabase;
let ctx: Ctx;
beforeAll(async () => {
  database = await openTestDatabase();
  ctx = testCtx(database.db);
});
afterAll(() => database.close());

const entry = (projectId: string | null, more: Partial<AuditEntry> = {}): AuditEntry => ({
  projectId,
  verb: "pipeline.publish",
  object: { kind: "pipeline", id: "p1", label: "Orders" },
  ...more,
});
const write = (projectId: string | null, more: Partial<AuditEntry> = {}) =>
  inTransaction(ctx, (tx) => writeAudit(tx, ctx, entry(projectId, more)));

/** Changes a row as somebody with the keys of the database would: past the trigger that refuses it. */
async function tamper(work: string): Promise<void> {
  await database.sql.begin(async (sql) => {
    await sql`alter table audit disable trigger user`;
    await sql.unsafe(work);
    await sql`alter table audit enable trigger user`;
  });
}

describe("the audit chain", () => {
  it("puts concurrent writers of a project in one unbroken order (AUD-2)", async () => {
    const project = await makeProject(ctx);
    await Promise.all(
      Array.from({ length: 20 }, (_, n) => write(project.id, { after: { n, list: [1.5, -0, null, "ü😀"], b: 1, a: undefined } })),
    );
    const verdict = await verifyAudit(ctx, { projectId: project.id });
    expect(verdict).toMatchObject({ kind: "intact", rows: 20 });
    const { items } = await listAudit(ctx, { projectId: project.id, limit: 50 });
    expect(items.map(({ seq }) => seq).sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, n) => n + 1));
  });

  it("keeps one chain a project and one for the installation (AUD-2)", async () => {
    const [one, other] = [await makeProject(ctx), await makeProject(ctx)];
    await write(one.id);
    await write(other.id);
    await write(null, { verb: "project.create" });
    for (const projectId of [one.id, other.id]) expect(await verifyAudit(ctx, { projectId })).toMatchObject({ kind: "intact", rows: 1 });
    expect(await verifyAudit(ctx, { projectId: null })).toMatchObject({ kind: "intact" });
  });

  it("leaves no row when its transaction is rolled back (AUD-2)", async () => {
    const project = await makeProject(ctx);
    await expect(
      inTransaction(ctx, async (tx) => {
        await writeAudit(tx, ctx, entry(project.id));
        throw new Error("the change failed");
      }),
    ).rejects.toThrow("the change failed");
    expect(await verifyAudit(ctx, { projectId: project.id })).toMatchObject({ kind: "intact", rows: 0 });
  });

  it("masks secrets and keeps references to them readable (AUD-2)", async () => {
    const project = await makeProject(ctx);
    await write(project.id, {
      after: { headers: { Authorization: "Bearer abc", "X-Api-Key": "k1" }, db_password: "hunter2", token: "{{ secrets.erp }}" },
    });
    const { items } = await listAudit(ctx, { projectId: project.id });
    expect(items[0]?.after).toEqual({
      headers: { Authorization: "***", "X-Api-Key": "***" },
      db_password: "***",
      token: "{{ secrets.erp }}",
    });
  });

  it("takes text that Postgres refuses without losing the row (AUD-2, B78)", async () => {
    const project = await makeProject(ctx);
    await write(project.id, {
      reason: "a\u0000b\ud800",
      after: { "k\u0000": "v\u0000" },
      object: { kind: "pipeline", id: "x", label: "\u0000" },
    });
    expect(await verifyAudit(ctx, { projectId: project.id })).toMatchObject({ kind: "intact", rows: 1 });
  });

  it("refuses update, delete and truncate in the database (AUD-2)", async () => {
    const project = await makeProject(ctx);
    await write(project.id);
    await expect(database.sql`update audit set verb = 'x' where project_id = ${project.id}`).rejects.toThrow("append-only");
    await expect(database.sql`delete from audit where project_id = ${project.id}`).rejects.toThrow("append-only");
    await expect(database.sql`truncate audit`).rejects.toThrow("append-only");
  });

  it.each([
    { title: "a changed row", work: (p: string) => `update audit set reason = 'other' where project_id = '${p}' and seq = 2`, seq: 2 },
    { title: "a removed row", work: (p: string) => `delete from audit where project_id = '${p}' and seq = 2`, seq: 2 },
    { title: "a cut-off end", work: (p: string) => `delete from audit where project_id = '${p}' and seq > 2`, seq: 3 },
    {
      title: "two swapped rows",
      work: (p: string) => `update audit set seq = 5 - seq where project_id = '${p}' and seq in (2, 3)`,
      seq: 2,
    },
  ])("verification names $title (AUD-2)", async ({ work, seq }) => {
    const project = await makeProject(ctx);
    for (const reason of ["one", "two", "three", "four"]) await write(project.id, { reason });
    await tamper(work(project.id));
    expect(await verifyAudit(ctx, { projectId: project.id })).toMatchObject({ kind: "broken", seq });
  });

  it("verification names a head that was put back (AUD-2)", async () => {
    const project = await makeProject(ctx);
    await write(project.id);
    await ctx.db
      .update(auditHeads)
      .set({ hash: "f".repeat(64) })
      .where(eq(auditHeads.scope, project.id));
    expect(await verifyAudit(ctx, { projectId: project.id })).toMatchObject({ kind: "broken", reason: expect.stringContaining("head") });
  });
});

describe("the list of audit rows", () => {
  it("filters by actor, verb, noun, object and time (AUD-2)", async () => {
    const project = await makeProject(ctx);
    const editor = await makeUser(ctx, project, "editor");
    await write(project.id, { verb: "run.cancel", object: { kind: "run", id: "r1", label: "r1" } });
    await inTransaction(ctx, (tx) => writeAudit(tx, actingAs(ctx, editor), entry(project.id)));
    const verbs = async (filter: object) => (await listAudit(ctx, { projectId: project.id, ...filter })).items.map(({ verb }) => verb);
    expect(await verbs({ actor: editor.id })).toEqual(["pipeline.publish"]);
    expect(await verbs({ verb: "run.cancel" })).toEqual(["run.cancel"]);
    expect(await verbs({ verb: "run" })).toEqual(["run.cancel"]);
    expect(await verbs({ verb: "ru" })).toEqual([]);
    expect(await verbs({ objectKind: "pipeline", objectId: "p1" })).toEqual(["pipeline.publish"]);
    expect(await verbs({ to: new Date(0) })).toEqual([]);
    expect(await verbs({ from: new Date(0) })).toHaveLength(2);
  });

  it("pages by keyset: each row once while new ones come in (B91)", async () => {
    const project = await makeProject(ctx);
    for (let n = 0; n < 25; n++) await write(project.id);
    const before = new Set((await ctx.db.select({ id: audit.id }).from(audit).where(eq(audit.projectId, project.id))).map(({ id }) => id));
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await listAudit(ctx, { projectId: project.id, limit: 10, ...(cursor ? { cursor } : {}) });
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor ?? undefined;
      await write(project.id);
    } while (cursor);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.filter((id) => before.has(id))).toHaveLength(25);
  });

  it("a project is unknown to a stranger, and the installation's rows are for administrators (AUD-1)", async () => {
    const [project, other] = [await makeProject(ctx), await makeProject(ctx)];
    const stranger = await makeUser(ctx, other, "admin");
    await expect(listAudit(actingAs(ctx, stranger), { projectId: project.id })).rejects.toMatchObject({ code: "not_found" });
    await expect(listAudit(actingAs(ctx, stranger), { projectId: null })).rejects.toMatchObject({ code: "forbidden" });
    await expect(listAudit(actingAs(ctx, { kind: "anonymous" }), { projectId: project.id })).rejects.toMatchObject({
      code: "unauthenticated",
    });
  });
});
