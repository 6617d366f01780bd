import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { PLATFORM_CODES } from "@/server/domain/errors/code";
import type { Fault } from "../fault";
import { memoryKills, ranOutOfMemory } from "../out-of-memory";
import { killGroup, killMarked, MARK } from "../process-tree";
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

interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Set where the program could not be started. */
  readonly error: NodeJS.ErrnoException | null;
}

/** A descendant that kept the pipe open must not hold the node for ever. */
const LAST_OUTPUT_MS = 1_000;
const KEPT_STDERR = 2_000;

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
  const fault = faultOf(ended, program, out.stderr(), killsBefore);
  if (fault && "code" in fault && fault.code === PLATFORM_CODES.outOfMemory) {
    // How far it came is unknown, and next time it may take the machine along (RUN-2).
    return { kind: "failed", fault: { ...fault, deaths: 1 + (await options.deathsBefore(execution.claimed)) }, response };
  }
  if (fault) return { kind: "failed", fault, response };
  const accepted = await commandOutput(file, out.lastLine());
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

function faultOf(ended: Ended, program: string, stderr: string, killsBefore: number | null): Fault | null {
  if (ended.error) return startFault(ended.error, program);
  if (ended.code === 0) return null;
  const said = stderr.trim() === "" ? "" : `: ${stderr.trim().split("\n").slice(-5).join("\n")}`;
  if (ranOutOfMemory({ code: ended.code, signal: ended.signal, stderr }, killsBefore)) {
    return { code: PLATFORM_CODES.outOfMemory, message: `${program} was ended for want of memory${said}`, retryable: true };
  }
  if (ended.signal) {
    return {
      status: `SIGNAL_${ended.signal}`,
      number: signalNumber(ended.signal),
      message: `${program} was ended by ${ended.signal}${said}`,
      retryable: true,
    };
  }
  // 126 and 127 are a shell's words for a program that is not there or may not run.
  const isFinal = ended.code === 126 || ended.code === 127;
  return { status: "EXIT", number: ended.code ?? 1, message: `${program} ended with exit code ${ended.code}${said}`, retryable: !isFinal };
}

function startFault(error: NodeJS.ErrnoException, program: string): Fault {
  switch (error.code ?? "") {
    case "ENOENT":
      return {
        status: "NOT_FOUND",
        number: 127,
        message: `${program} is not there on this worker; install it, or write its whole path`,
        retryable: false,
      };
    case "EACCES":
      return { status: "NOT_EXECUTABLE", number: 126, message: `${program} may not be run by this worker's user`, retryable: false };
    case "E2BIG":
      return {
        status: "ARGUMENTS_TOO_LARGE",
        number: 413,
        message: "the arguments and the environment are too long for the system, or one of them is (128 KiB); pass data by stdin",
        retryable: false,
      };
    case "ERR_INVALID_ARG_VALUE":
      return {
        status: "ARGUMENTS_INVALID",
        number: 422,
        message: `${program} cannot be started with these arguments: ${error.message}`,
        retryable: false,
      };
    default:
      return { status: "SPAWN", number: 500, message: `${program} could not be started: ${error.message}`, retryable: true };
  }
}

const SIGNALS: Readonly<Record<string, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGILL: 4,
  SIGABRT: 6,
  SIGFPE: 8,
  SIGKILL: 9,
  SIGSEGV: 11,
  SIGPIPE: 13,
  SIGALRM: 14,
  SIGTERM: 15,
};
const signalNumber = (signal: string) => 128 + (SIGNALS[signal] ?? 0);

const isFolder = (path: string) =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
