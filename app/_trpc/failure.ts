import { TRPCClientError } from "@trpc/client";
import type { AppRouter } from "@/server/api/root";
import type { FailureData } from "@/server/api/trpc";

export interface Failure extends FailureData {
  /** What is wrong, where, and what to do. */
  readonly message: string;
  /** By which an administrator finds the request in the log and in the audit. */
  readonly requestId: string;
}

/** What the server said of a failed call; null where it could not be reached. */
export function failureOf(error: unknown): Failure | null {
  if (!(error instanceof TRPCClientError)) return null;
  const { data } = error as TRPCClientError<AppRouter>;
  return data ? { ...data.failure, message: error.message, requestId: data.requestId } : null;
}
