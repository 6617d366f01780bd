import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";

/** The folder for the output files of attempts: one for each start of a worker, since another of its name may live. */
export class Scratch {
  readonly path: string;
  #all: string;
  #own: string;

  constructor(folder: string, start: string) {
    this.#all = join(folder, "scratch");
    this.#own = start;
    this.path = join(this.#all, start);
  }

  async open(): Promise<void> {
    await mkdir(this.path, { recursive: true });
  }

  /** Removes what earlier starts left; only for who holds the worker's name. */
  async removeOthers(): Promise<void> {
    const found = await readdir(this.#all).catch(() => []);
    const others = found.filter((name) => name !== this.#own);
    await Promise.all(others.map((name) => rm(join(this.#all, name), { recursive: true, force: true })));
  }

  async close(): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
  }
}
