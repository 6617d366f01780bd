import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { actingAs, makeProject, makeUser, recordingPorts, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { openVault } from "@/server/adapters/vault";
import type { DomainError } from "@/server/domain/failure";
import type { Ctx } from "@/server/engine/context";
import { deleteSecret } from "./delete-secret";
import { listSecrets, sealedKeyIds } from "./list-secrets";
import { resolveSecrets } from "./resolve-secrets";
import { setSecret } from "./set-secret";

const CANARY = "canary-5f2c-value";
let folder: string;
let database: TestDatabase;
let ctx: Ctx;
let project: { id: string };
let admin: Ctx;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "secrets-"));
  database = await openTestDatabase();
  const vault = await openVault({ keyFile: join(folder, "secret.key"), sealedKeyIds: [] });
  ctx = testCtx(database.db, { ports: { ...recordingPorts(), vault } });
  project = await makeProject(ctx);
  admin = actingAs(ctx, await makeUser(ctx, project, "admin"));
});
afterAll(async () => {
  await database.close();
  await rm(folder, { recursive: true });
});

test("a secret is opened in the worker, its newest version, and listed by name alone (SEC-1)", async () => {
  await setSecret(admin, { projectId: project.id, name: "api_key", value: "old" });
  expect(await setSecret(admin, { projectId: project.id, name: "api_key", value: CANARY })).toEqual({ version: 2 });
  expect(await resolveSecrets(ctx, project.id, ["api_key"])).toEqual({ api_key: CANARY });
  const listed = await listSecrets(admin, project.id);
  expect(listed.map((secret) => secret.name)).toEqual(["api_key"]);
  expect(JSON.stringify(listed)).not.toContain(CANARY);
  expect(await sealedKeyIds(database.db)).toEqual([ctx.ports.vault.keyId]);
});

test("no table holds the value in any common encoding, the audit included (SEC-1)", async () => {
  await setSecret(admin, { projectId: project.id, name: "canary", value: CANARY });
  const needles = [CANARY, Buffer.from(CANARY).toString("base64").replace(/=+$/, ""), Buffer.from(CANARY).toString("hex")];
  for (const table of ["secrets", "audit", "settings", "projects"]) {
    const rows = await database.sql.unsafe(`select to_jsonb(t)::text as text from ${table} t`);
    for (const needle of needles)
      expect(
        rows.some((row) => String(row.text).includes(needle)),
        `${table} holds ${needle}`,
      ).toBe(false);
  }
});

test("setting and deleting each leave one audit row, and an editor may do neither (AUD-2)", async () => {
  await setSecret(admin, { projectId: project.id, name: "short_lived", value: "x" });
  await deleteSecret(admin, { projectId: project.id, name: "short_lived" });
  const rows = await database.db.query.audit.findMany({ where: (row, { eq }) => eq(row.objectId, "short_lived") });
  expect(rows.map((row) => row.verb).sort()).toEqual(["secret.delete", "secret.set"]);
  const editor = actingAs(ctx, await makeUser(ctx, project, "editor"));
  await expect(setSecret(editor, { projectId: project.id, name: "no", value: "x" })).rejects.toMatchObject({ code: "forbidden" });
  await expect(deleteSecret(editor, { projectId: project.id, name: "api_key" })).rejects.toMatchObject({ code: "forbidden" });
});

test("a secret of another project does not open, and the missing one is named (SEC-1)", async () => {
  const other = await makeProject(ctx);
  await expect(resolveSecrets(ctx, other.id, ["api_key"])).rejects.toThrow(/api_key/);
});

test("two writers of one name take turns, and the value that stays can be opened (SEC-1)", async () => {
  await Promise.all(["a", "b", "c", "d"].map((value) => setSecret(admin, { projectId: project.id, name: "raced", value })));
  const { raced } = await resolveSecrets(ctx, project.id, ["raced"]);
  expect(["a", "b", "c", "d"]).toContain(raced);
  expect((await listSecrets(admin, project.id)).find((secret) => secret.name === "raced")?.version).toBe(4);
});

test.each(["", `${CANARY}\u0000`, CANARY.repeat(4_000)])(
  "a value that cannot be kept is refused, and the refusal does not repeat it (SEC-1, SEC-3)",
  async (value) => {
    const refused = await setSecret(admin, { projectId: project.id, name: "bad", value }).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: "invalid_input" });
    const told = `${String(refused)} ${JSON.stringify(refused)} ${JSON.stringify((refused as DomainError).issues)}`;
    expect(told).not.toContain(CANARY);
  },
);
