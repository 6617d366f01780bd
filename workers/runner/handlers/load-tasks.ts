import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { isTask, type Task } from "@/workers/sdk/define-task";
import type { LoadProblem } from "./protocol";
import { resolveSdk } from "./resolve-sdk";

export interface LoadedTasks {
  readonly tasks: ReadonlyMap<string, Task>;
  readonly problems: readonly LoadProblem[];
}

const HANDLER_FILE = /^[^._].*\.(mjs|js|ts)$/;
const NO_HANDLER = /\.(test|d)\.(mjs|js|ts)$/;

/** Loads every handler file of the folders; a file that cannot be loaded is a problem to show, and hides no other. */
export async function loadTasks(folders: readonly string[]): Promise<LoadedTasks> {
  const tasks = new Map<string, Task>();
  const problems: LoadProblem[] = [];
  const files = (await Promise.all(folders.map(handlerFiles))).flat();
  if (await anyNeedsSdk(files)) resolveSdk();
  for (const file of files) {
    try {
      const exported: Record<string, unknown> = await import(pathToFileURL(file).href);
      for (const task of Object.values(exported).filter(isTask)) {
        if (tasks.has(task.name)) problems.push({ file, message: `the task ${task.name} is defined a second time; the first one holds` });
        else tasks.set(task.name, task);
      }
    } catch (error) {
      problems.push({ file, message: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
  }
  return { tasks, problems };
}

async function handlerFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names
    .filter((name) => HANDLER_FILE.test(basename(name)) && !NO_HANDLER.test(name))
    .sort()
    .map((name) => join(folder, name));
}

/** The loader hooks cost a thread a process: only where a file asks for them. */
async function anyNeedsSdk(files: readonly string[]): Promise<boolean> {
  for (const file of files) {
    if (file.endsWith(".ts") || (await readFile(file, "utf8")).includes("apollo-11/sdk")) return true;
  }
  return false;
}
