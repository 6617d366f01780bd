import { PLATFORM_CODES } from "@/server/domain/errors/code";
import { readSaidError, type SaidError } from "@/server/domain/errors/said-error";
import type { Fault } from "../fault";
import { ranOutOfMemory } from "../out-of-memory";
import { wholeLines } from "./whole-lines";

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Set where the program could not be started. */
  readonly error: NodeJS.ErrnoException | null;
}

/** Of what a command wrote to stderr: the end. */
export const KEPT_STDERR = 16_000;

/** What the command itself says of its failure: in the last line of what it wrote, on either stream. */
export const saidError = (lastOfStdout: string, stderr: string): SaidError | null =>
  readSaidError(lastOfStdout) ?? readSaidError(linesOf(stderr).at(-1) ?? "");

const linesOf = (stderr: string): string[] => wholeLines(stderr, KEPT_STDERR);

export interface Told {
  readonly program: string;
  readonly stderr: string;
  readonly said: SaidError | null;
}

/** How it ended decides whether it failed; what it says of it decides the code, where the machine did not end it (EXC-1). */
export function faultOf(ended: Ended, { program, stderr, said }: Told, killsBefore: number | null): Fault | null {
  if (ended.error) return startFault(ended.error, program);
  if (ended.code === 0) return null;
  const quoted = linesOf(stderr).slice(-5).join("\n");
  if (ranOutOfMemory({ code: ended.code, signal: ended.signal, stderr }, killsBefore)) {
    return { code: PLATFORM_CODES.outOfMemory, message: `${program} was ended for want of memory`, quoted, retryable: true };
  }
  if (ended.signal) {
    return {
      status: `SIGNAL_${ended.signal}`,
      number: signalNumber(ended.signal),
      message: `${program} was ended by ${ended.signal}`,
      quoted,
      retryable: true,
    };
  }
  // 126 and 127 are a shell's words for a program that is not there or may not run.
  const isFinal = ended.code === 126 || ended.code === 127;
  const exit = {
    status: "EXIT",
    number: ended.code ?? 1,
    message: `${program} ended with exit code ${ended.code}`,
    quoted,
    retryable: !isFinal,
    finalBy: "number" as const,
  };
  if (!said) return exit;
  return {
    status: said.status || exit.status,
    number: said.number ?? exit.number,
    message: said.message ?? exit.message,
    ...(said.message === null ? { quoted } : {}),
    retryable: said.retryable ?? exit.retryable,
    ...(said.retryable === null ? { finalBy: exit.finalBy } : {}),
    retryAfterMs: said.retryAfterMs,
    context: said.context,
  };
}

/** What the system said when it could not start the program. */
export function startFault(error: NodeJS.ErrnoException, program: string): Fault {
  switch (error.code ?? "") {
    case "ENOENT":
      return {
        status: "NOT_FOUND",
        number: 127,
        message: `${program} is not there on this worker; install it, or write its whole path`,
        retryable: false,
        finalBy: "number",
      };
    case "EACCES":
      return {
        status: "NOT_EXECUTABLE",
        number: 126,
        message: `${program} may not be run by this worker's user`,
        retryable: false,
        finalBy: "number",
      };
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
