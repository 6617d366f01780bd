// Measures one peer on one row: node driver.mjs <peer> <row> <scale> <database URL>. The last line is the figures as JSON.
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { ROWS } from "./rows.mjs";

const [peerName, rowName, scale, url] = process.argv.slice(2);
const LIMIT_MS = 120_000;
const SLOTS = { chain: 20, step: 20 }[rowName] ?? 50;

const { peer } = await import(`./${peerName}.mjs`);
const row = ROWS[rowName];
if (!row || !peer.rows.includes(rowName)) throw new Error(`${peerName} does not do the row ${rowName}`);
process.once("disconnect", () => process.exit(1));

/** What the worker process tells: starts of steps, and runs that are done. */
class Events {
  starts = [];
  done = new Map();
  #wake;

  hear(batch) {
    for (const [kind, run, step, atMs] of batch) {
      if (kind === "start") this.starts.push({ run, step, atMs });
      else if (!this.done.has(run)) this.done.set(run, atMs);
    }
    this.#wake?.();
  }

  clear() {
    this.starts = [];
    this.done = new Map();
  }

  untilDone(runs) {
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`${this.done.size} of ${runs} runs were done in ${LIMIT_MS} ms`)), LIMIT_MS);
      this.#wake = () => {
        if (this.done.size < runs) return;
        clearTimeout(late);
        this.#wake = undefined;
        resolve();
      };
      this.#wake();
    });
  }
}

const events = new Events();
const ground = await peer.prepare({ url });
const startWorker = () =>
  new Promise((resolve, reject) => {
    const place = fileURLToPath(new URL("./worker.mjs", import.meta.url));
    const child = fork(place, [peerName, url, String(SLOTS), JSON.stringify(ground ?? {})], {
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    child.once("exit", (code) => reject(new Error(`the worker ended with ${code}`)));
    child.on("message", (message) => (message === "ready" ? resolve(child) : events.hear(message)));
  });

const worker = await startWorker();
const client = await peer.open({ url, ground });
/** Whoever started us counts our CPU from here to there. */
const mark = (at) =>
  new Promise((resolve) => {
    process.once("message", resolve);
    process.send(at);
  });
const measured = await row({ client, events, scale: Number(scale), begin: () => mark("begin"), end: () => mark("end") });
console.log(JSON.stringify(measured));
worker.removeAllListeners("exit");
worker.kill("SIGKILL");
await ground?.stop?.();
process.exit(0);
