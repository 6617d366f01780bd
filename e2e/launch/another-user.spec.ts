import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@playwright/test";
import { processesOf } from "../fixtures/processes";
import { beginStart, REPO, type StartOptions, scratchFolder, startProduct } from "../fixtures/product";
import { Rest } from "../fixtures/rest";

/** Not root: this very user, or `nobody` with a copy of the product where the tests run as root. */
let own: Pick<StartOptions, "root" | "as" | "env"> = {};
let home = "";

test.beforeAll(() => {
  if (process.getuid?.() !== 0) return;
  home = scratchFolder();
  const root = join(home, "product");
  const idOf = (flag: string) => Number(execFileSync("id", [flag, "nobody"], { encoding: "utf8" }));
  const as = { uid: idOf("-u"), gid: idOf("-g") };
  const inHome = (script: string) => execFileSync("sh", ["-c", script, "copy", REPO, root, `${as.uid}:${as.gid}`], { stdio: "inherit" });
  mkdirSync(root);
  inHome('cd "$1" && tar -c --exclude=./node_modules --exclude=./.git --exclude=./.data --exclude=./.next/cache . | tar -x -C "$2"');
  inHome('chown -R "$3" "$2"');
  // Packages are only read, so links to them do.
  inHome('cp -al "$1/node_modules" "$2/node_modules" 2>/dev/null || cp -a "$1/node_modules" "$2/"');
  chownSync(home, as.uid, as.gid);
  own = { root, as, env: { HOME: home } };
});

test.afterAll(() => {
  if (home) rmSync(home, { recursive: true, force: true });
});

function owned(): string {
  const folder = scratchFolder();
  if (own.as) chownSync(folder, own.as.uid, own.as.gid);
  return folder;
}

/** The effective user of a process. */
const userOf = (pid: number): number => Number(/^Uid:\s+\d+\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);

test("a normal user starts it with nothing but Node, the demo runs, and it stops as a whole (ECO-3)", async () => {
  const product = await startProduct({ ...own, dataDir: owned() });
  try {
    const uid = own.as?.uid ?? process.getuid?.();
    for (const [name, pid] of Object.entries(product.pids())) expect(userOf(pid), `user of ${name}`).toBe(uid);
    const rest = new Rest(product.url, await product.token("operator"));
    await rest.runIs(await rest.trigger("orders"), "SUCCESS");
  } finally {
    const { code, tookMs } = await product.stop();
    expect(code).toBe(0);
    expect(tookMs).toBeLessThan(5_000);
  }
  expect(processesOf(product.dataDir)).toEqual([]);
  product.remove();
});

test("a data folder that this user may only read is named, and nothing is left running (ECO-3)", async () => {
  const dataDir = scratchFolder();
  chmodSync(dataDir, 0o555);
  const start = await beginStart({ ...own, dataDir });
  expect(await start.ended).toBe(1);
  expect(start.output()).toContain(`Cannot write to ${dataDir} (EACCES). Set APOLLO_DATA_DIR to a folder that you may write to.`);
  expect(processesOf(dataDir)).toEqual([]);
  rmSync(dataDir, { recursive: true });
});
