import { DomainError } from "@/server/domain/failure";
import type { Ctx } from "@/server/engine/context";
import { openRuntime, type Runtime } from "@/server/runtime";

/** Runs one tool of the command line to its end: its refusals go to stderr in plain words, and the exit code tells. */
export async function runTool(name: string, work: (ctx: Ctx, runtime: Runtime) => Promise<void>): Promise<void> {
  let runtime: Runtime | undefined;
  try {
    runtime = await openRuntime({ name: "tool" });
    const source = { id: runtime.ids.uuid(), via: "cli", ip: null, userAgent: null } as const;
    await work(runtime.ctx({ kind: "system", id: name, label: name }, source), runtime);
  } catch (error) {
    console.error(error instanceof DomainError ? error.message : error);
    process.exitCode = 1;
  } finally {
    await runtime?.close();
  }
}
