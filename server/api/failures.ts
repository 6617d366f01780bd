import { ZodError } from "zod";
import { DomainError, type FailureCode } from "@/server/domain/failure";
import { invalidInput } from "@/server/domain/input";
import { schemaIssues } from "@/server/domain/pipeline/schema-issues";

/** Postgres codes by which the database refuses a value that a wall let through. */
const REFUSED_VALUES = new Set(["22P02", "22P05", "22021", "22003", "22007", "22008"]);
const UNREACHABLE = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "CONNECT_TIMEOUT",
  "CONNECTION_CLOSED",
  "CONNECTION_ENDED",
  "CONNECTION_DESTROYED",
  "57P01",
  "57P03",
  "53300",
]);

/** The refusal that an error stands for; null is a bug, which the caller logs and answers with 500. */
export function refusalOf(error: unknown): DomainError | null {
  for (let e: unknown = error; e instanceof Error; e = e.cause) {
    if (e instanceof DomainError) return e;
    if (e instanceof ZodError) return invalidInput(schemaIssues(e));
    const code = "code" in e && typeof e.code === "string" ? e.code : "";
    if (REFUSED_VALUES.has(code))
      return new DomainError("invalid_input", "a value of the input cannot be stored: check ids, dates and numbers");
    if (UNREACHABLE.has(code)) return new DomainError("unavailable", "the database cannot be reached just now; try again in a moment");
  }
  return null;
}

/** What a stranger may know of a bug: that there is one, and by which id an administrator finds it in the log. */
export const bugMessage = (requestId: string) =>
  `something went wrong on our side; an administrator finds it in the log by the request id ${requestId}`;

export const FAILURE_TITLES = {
  invalid_input: "The input is not valid",
  unauthenticated: "Not signed in",
  forbidden: "Not allowed",
  not_found: "Not found",
  conflict: "In conflict with what is there",
  stale: "Somebody else was faster",
  illegal_transition: "Not possible in this state",
  too_large: "Too large",
  unprocessable: "Cannot be done",
  too_many_requests: "Too many requests",
  unavailable: "Not available just now",
} as const satisfies Record<FailureCode, string>;
