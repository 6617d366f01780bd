import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { checkDirection } from "./direction.mjs";

const repo = fileURLToPath(new URL("../../", import.meta.url));
const trees: string[] = [];

function plant(files: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), "apollo-direction-"));
  trees.push(root);
  symlinkSync(join(repo, "node_modules"), join(root, "node_modules"));
  writeFileSync(
    join(root, "tsconfig.json"),
    JSON.stringify({ compilerOptions: { module: "ESNext", moduleResolution: "bundler", paths: { "@/*": ["./*"] } } }),
  );
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

afterEach(() => {
  for (const root of trees.splice(0)) rmSync(root, { recursive: true, force: true });
});

/** A small tree with every legal arrow in it. */
const LEGAL = {
  "server/domain/run/states.ts": 'import { z } from "zod";\nexport const stateSchema = z.string();\n',
  "db/schema/runs.ts": 'import { stateSchema } from "../../server/domain/run/states";\nexport const runs = { stateSchema };\n',
  "db/statements/state/claim-ready.ts": 'import { runs } from "../../schema/runs";\nexport const claimReady = () => runs;\n',
  "db/testing/database.ts": 'import { runs } from "../schema/runs";\nexport const database = () => runs;\n',
  "server/env.ts": "export const env = {};\n",
  "server/engine/ports.ts": "export interface Queue { ring(): void }\n",
  "server/engine/runs/claim.ts":
    'import { claimReady } from "@/db/statements/state/claim-ready";\nimport { seat } from "@/server/engine/runs/internal";\nexport const claim = () => [claimReady(), seat];\n',
  "server/engine/runs/internal.ts": "export const seat = 1;\n",
  "server/engine/runs/claim.db.test.ts":
    'import { database } from "@/db/testing/database";\nimport { claim } from "@/server/engine/runs/claim";\nexport const t = [database, claim];\n',
  "server/adapters/memory-queue.ts":
    'import type { Queue } from "@/server/engine/ports";\nexport const memoryQueue: Queue = { ring: () => undefined };\n',
  "server/runtime.ts":
    'import { memoryQueue } from "@/server/adapters/memory-queue";\nimport { env } from "@/server/env";\nexport const runtime = { memoryQueue, env };\n',
  "server/api/root.ts": 'import { claim } from "@/server/engine/runs/claim";\nexport const root = { claim };\n',
  "app/_ui/button.ts": "export const button = 1;\n",
  "app/(console)/runs/page.ts":
    'import { root } from "@/server/api/root";\nimport { button } from "@/app/_ui/button";\nimport { graph } from "./_graph/graph";\nexport const page = { root, button, graph };\n',
  "app/(console)/runs/_graph/graph.ts":
    'import type { stateSchema } from "@/server/domain/run/states";\nexport const graph: typeof stateSchema | 1 = 1;\n',
  "workers/sdk/index.ts": 'export { stateSchema } from "@/server/domain/run/states";\n',
  "workers/runner/main.ts":
    'import { claim } from "@/server/engine/runs/claim";\nimport { runtime } from "@/server/runtime";\nexport const main = [claim, runtime];\n',
  "e2e/journeys/author.ts": 'import { database } from "@/db/testing/database";\nexport const journey = database;\n',
};

const violation = (rule: string, from: string, text: string) => ({ rule, from, text });

/** One forbidden arrow a row; most of them type-only, since a type ties two floors together just as well. */
const PLANTED = [
  violation(
    "no-circular",
    "server/engine/runs/internal.ts",
    'import type { claim } from "@/server/engine/runs/claim";\nexport const seat = 1 as unknown as typeof claim;\n',
  ),
  violation(
    "not-unresolvable",
    "server/engine/runs/start.ts",
    'import { gone } from "@/server/engine/runs/gone";\nexport const start = gone;\n',
  ),
  violation("domain-is-pure", "server/domain/run/read.ts", 'import { readFileSync } from "node:fs";\nexport const read = readFileSync;\n'),
  violation("domain-is-pure", "server/domain/run/log.ts", 'import { pino } from "pino";\nexport const log = pino;\n'),
  violation(
    "domain-is-pure",
    "server/domain/run/row.ts",
    'import type { runs } from "@/db/schema/runs";\nexport type Row = typeof runs;\n',
  ),
  violation("db-is-the-ground", "db/statements/up.ts", 'import type { Queue } from "../../server/engine/ports";\nexport type Q = Queue;\n'),
  violation(
    "engine-below-api",
    "server/engine/runs/answer.ts",
    'import type { root } from "@/server/api/root";\nexport type R = typeof root;\n',
  ),
  violation("engine-below-api", "server/engine/runs/ring.ts", 'import { Queue } from "bullmq";\nexport const queue = Queue;\n'),
  violation("engine-below-api", "server/engine/runs/setting.ts", 'import { env } from "@/server/env";\nexport const setting = env;\n'),
  violation(
    "adapters-by-runtime-only",
    "server/api/queue.ts",
    'import { memoryQueue } from "@/server/adapters/memory-queue";\nexport const q = memoryQueue;\n',
  ),
  violation("api-is-thin", "server/api/sql.ts", 'import { sql } from "drizzle-orm";\nexport const query = sql;\n'),
  violation("api-is-thin", "server/api/rows.ts", 'import type { runs } from "@/db/schema/runs";\nexport type Rows = typeof runs;\n'),
  violation(
    "app-by-the-front-door",
    "app/(console)/runs/list.ts",
    'import type { claim } from "@/server/engine/runs/claim";\nexport type C = typeof claim;\n',
  ),
  violation(
    "app-by-the-front-door",
    "app/(console)/runs/wire.ts",
    'import { runtime } from "@/server/runtime";\nexport const r = runtime;\n',
  ),
  violation("workers-not-api", "workers/runner/call.ts", 'import type { root } from "@/server/api/root";\nexport type R = typeof root;\n'),
  violation("workers-not-db", "workers/runner/rows.ts", 'import type { runs } from "@/db/schema/runs";\nexport type R = typeof runs;\n'),
  violation(
    "sdk-is-light",
    "workers/sdk/heavy.ts",
    'import type { claim } from "@/server/engine/runs/claim";\nexport type C = typeof claim;\n',
  ),
  violation(
    "one-writer-of-state",
    "server/engine/dispatch/take.ts",
    'import { claimReady } from "@/db/statements/state/claim-ready";\nexport const take = claimReady;\n',
  ),
  violation(
    "room-internals-stay-in",
    "server/engine/dispatch/seat.ts",
    'import { seat } from "@/server/engine/runs/internal";\nexport const s = seat;\n',
  ),
  violation(
    "route-private-stays-in",
    "app/(console)/alerts/graph.ts",
    'import { graph } from "@/app/(console)/runs/_graph/graph";\nexport const g = graph;\n',
  ),
  violation("ui-is-props-only", "app/_ui/list.ts", 'import { page } from "@/app/(console)/runs/page";\nexport const list = page;\n'),
  violation(
    "not-to-test",
    "server/engine/runs/fake.ts",
    'import { database } from "@/db/testing/database";\nexport const fake = database;\n',
  ),
];

describe("import direction", () => {
  it("passes a tree that holds every legal arrow, and counts its modules", async () => {
    const result = await checkDirection(plant(LEGAL));
    expect(result.violations).toEqual([]);
    expect(result.code).toBe(0);
    expect(result.modules).toBeGreaterThanOrEqual(Object.keys(LEGAL).length);
  });

  it("goes red for one planted violation of each direction rule, type-only imports included", async () => {
    const planted = Object.fromEntries(PLANTED.map(({ from, text }) => [from, text]));
    const result = await checkDirection(plant({ ...LEGAL, ...planted }));
    const caught = result.violations.map(({ rule, from }) => `${rule}: ${from}`);
    for (const { rule, from } of PLANTED.slice(1)) expect(caught).toContain(`${rule}: ${from}`);
    expect(caught.filter((line) => line.startsWith("no-circular:"))).not.toEqual([]);
    expect(result.code).toBe(1);
  });

  it("has a planted violation for every rule, and every rule says where the code belongs", () => {
    const config: unknown = createRequire(import.meta.url)("../../.dependency-cruiser.cjs");
    const rules = (config as { forbidden: { name: string; comment: string; severity: string }[] }).forbidden;
    expect(new Set(PLANTED.map(({ rule }) => rule))).toEqual(new Set(rules.map(({ name }) => name)));
    for (const { comment, severity } of rules) {
      expect(comment.length).toBeGreaterThan(40);
      expect(severity).toBe("error");
    }
  });

  it("fails when no module was cruised, instead of passing over nothing", async () => {
    const result = await checkDirection(plant({ "server/domain/readme.md": "no code here", "outside.ts": "export {};" }));
    expect(result.modules).toBe(0);
    expect(result.code).toBe(1);
    expect(result.output).toContain("0 modules");
  });

  it("is the same configuration that the tool's own command reads", () => {
    const root = plant({ ...LEGAL, "workers/runner/rows.ts": 'export { runs } from "@/db/schema/runs";\n' });
    const command = join(repo, "node_modules/dependency-cruiser/bin/dependency-cruise.mjs");
    const run = spawnSync(process.execPath, [command, "workers", "--config", join(repo, ".dependency-cruiser.cjs")], {
      cwd: root,
      encoding: "utf8",
    });
    expect(run.status).not.toBe(0);
    expect(run.stdout).toContain("workers-not-db");
  });
});
