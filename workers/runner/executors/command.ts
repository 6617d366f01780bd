import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { PLATFORM_CODES } from "@/server/domain/errors/code";
import type { Fault } from "../fault";
import { memoryKills } from "../out-of-memory";
import { killGroup, killMarked, MARK } from "../process-tree";
import { type Ended, faultOf, KEPT_STDERR, saidError, startFault } from "./command-fault";
import { commandOutput, LastLine } from "./command-output";
import type { DeathsBefore, Executed, Execution, Kill, Response } from "./execution";

export interface CommandExecutorOptions {
  /** What a command may see of the worker's environment: programs, locale, no secret of ours. */
  readonly inherited: Readonly<Record<string, string>>;
  /** Folder for the output files of attempts. */
  readonly scratch: string;
  /** Marks everything that this worker starts. */
  readonly mark: string;
  readonly deathsBefore: DeathsBefore;
}

/** A descendant that kept the pipe open must not hold the node for ever. */
const LAST_OUTPUT_MS = 1_000;

/** Runs a program without a shell, in a process group of its own, its output streamed to the log. */
export async function executeCommand(options: CommandExecutorOptions, execution: Execution<"command">): Promise<Executed> {
  const { cwd } = execution.with;
  if (cwd !== undefined && !(await isFolder(cwd))) {
    return {
      kind: "failed",
      fault: { status: "NOT_FOUND", number: 127, message: `the working folder ${cwd} is not there`, retryable: false },
      response: null,
    };
  }
  const folder = await mkdtemp(join(options.scratch, "attempt-"));
  try {
    return await runIn(folder, options, execution);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function runIn(folder: string, options: CommandExecutorOptions, execution: Execution<"command">): Promise<Executed> {
  const { with: sent, signal, log } = execution;
  const file = join(folder, "output.json");
  const mark = `${options.mark}.${execution.claimed.executionId}.${execution.claimed.token}`;
  const [program = "", ...args] = sent.argv;
  const killsBefore = memoryKills();
  const env = { ...options.inherited, ...sent.env, ...ownEnvironment(execution, file), [MARK]: mark };
  const begun = begin(program, args, sent.cwd, env);
  if (begun.kind === "refused") return { kind: "failed", fault: begun.fault, response: null };
  const { child } = begun;
  const out = follow(child, execution);
  child.stdin.on("error", () => undefined);
  child.stdin.end(sent.stdin ?? "");
  const ended = await endOf(child, signal, mark);
  await out.close();
  const response: Response = { exitCode: ended.code, signal: ended.signal };
  // What a failed or killed command left behind would act beside the next attempt.
  if (signal.aborted || ended.error || ended.code !== 0) await killMarked((found) => found === mark);
  if (signal.aborted) return { kind: "killed", response };
  const lastLine = out.lastLine();
  const said = saidError(lastLine.text, out.stderr());
  const fault = faultOf(ended, { program, stderr: out.stderr(), said }, killsBefore);
  if (fault && "code" in fault && fault.code === PLATFORM_CODES.outOfMemory) {
    // How far it came is unknown, and next time it may take the machine along (RUN-2).
    return { kind: "failed", fault: { ...fault, deaths: 1 + (await options.deathsBefore(execution.claimed)) }, response };
  }
  if (fault) return { kind: "failed", fault, response };
  if (said) log.system("the command told an error in its last line and ended with exit code 0: the exit code decides, and it is a success");
  const accepted = await commandOutput(file, lastLine);
  if (accepted.kind === "refused") return { kind: "failed", fault: accepted.fault, response };
  for (const note of accepted.notes) log.system(note);
  return { kind: "succeeded", output: accepted.output, response };
}

type Begun =
  | { readonly kind: "begun"; readonly child: ChildProcessWithoutNullStreams }
  | { readonly kind: "refused"; readonly fault: Fault };

/** Some of what the system refuses comes with an event, and some is thrown: both are the command's failure. */
function begin(program: string, args: readonly string[], cwd: string | undefined, env: Readonly<Record<string, string>>): Begun {
  try {
    const child = spawn(program, args, { cwd, env: env as unknown as NodeJS.ProcessEnv, stdio: ["pipe", "pipe", "pipe"], detached: true });
    return { kind: "begun", child };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { kind: "refused", fault: startFault(error, program) };
  }
}

/** Ours come last: an author cannot give an attempt another identity. */
const ownEnvironment = ({ claimed, traceparent }: Execution<"command">, file: string) => ({
  APOLLO_EXECUTION_ID: claimed.executionId,
  APOLLO_TOKEN: String(claimed.token),
  APOLLO_ATTEMPT: String(claimed.attemptNo),
  APOLLO_RUN_ID: claimed.runId,
  APOLLO_NODE: claimed.key,
  APOLLO_OUTPUT: file,
  TRACEPARENT: traceparent,
});

function follow(child: ChildProcess, { log }: Execution<"command">) {
  const decoder = new StringDecoder("utf8");
  const last = new LastLine();
  let stderr = "";
  const closed = (["stdout", "stderr"] as const).map((name) => {
    const stream = child[name] as Readable;
    stream.on("data", (data: Buffer) => {
      log.write(name, data);
      if (name === "stdout") last.push(decoder.write(data));
      else stderr = (stderr + data.toString("utf8")).slice(-KEPT_STDERR);
      if (!log.isFull) return;
      // The program waits at its full pipe, rather than this process's memory filling up.
      stream.pause();
      void log.whenDrained().then(() => stream.resume());
    });
    return new Promise<void>((resolve) => {
      stream.once("close", resolve);
      stream.once("error", () => resolve());
    });
  });
  return {
    stderr: () => stderr,
    lastLine: () => {
      last.push(decoder.end());
      return last.end();
    },
    close: async () => {
      do {
        await log.whenDrained();
        if (await endsWithin(LAST_OUTPUT_MS, Promise.all(closed))) return;
      } while (log.isFull);
      log.system("a process that the command left behind holds its output open; it is not waited for");
      child.stdout?.destroy();
      child.stderr?.destroy();
    },
  };
}

async function endsWithin(limitMs: number, work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), limitMs);
  });
  const inTime = await Promise.race([work.then(() => true), late]);
  clearTimeout(timer);
  return inTime;
}

/** Waits for the end; on an abort asks the whole group first, and ends by force what does not go. */
async function endOf(child: ChildProcess, signal: AbortSignal, mark: string): Promise<Ended> {
  let force: NodeJS.Timeout | undefined;
  const kill = () => {
    if (child.pid === undefined) return;
    const pid = child.pid;
    killGroup(pid, "SIGTERM");
    force = setTimeout(
      () => {
        killGroup(pid, "SIGKILL");
        void killMarked((found) => found === mark);
      },
      (signal.reason as Kill).graceMs,
    );
  };
  const ended = new Promise<Ended>((resolve) => {
    child.once("error", (error) => resolve({ code: null, signal: null, error }));
    child.once("exit", (code, exitSignal) => resolve({ code, signal: exitSignal, error: null }));
  });
  if (signal.aborted) kill();
  else signal.addEventListener("abort", kill, { once: true });
  const outcome = await ended;
  signal.removeEventListener("abort", kill);
  clearTimeout(force);
  if (signal.aborted && child.pid !== undefined) killGroup(child.pid, "SIGKILL");
  return outcome;
}

const isFolder = (path: string) =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
