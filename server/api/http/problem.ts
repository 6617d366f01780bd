import { DomainError } from "@/server/domain/failure";
import { bugMessage, FAILURE_TITLES, refusalOf } from "../failures";
import type { World } from "../world";

/** A problem document (RFC 9457): what is wrong, where, and what to do. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  /** The request, as it stands in the log and in audit rows. */
  readonly instance: string;
  readonly code: string;
  readonly issues: readonly { readonly path: string; readonly message: string; readonly code: string }[];
  readonly [extension: string]: unknown;
}

export function problemOf(error: unknown, requestId: string): Problem {
  const refusal = refusalOf(error);
  const instance = `urn:uuid:${requestId}`;
  if (!refusal) {
    return { type: "about:blank", title: "Internal error", status: 500, detail: bugMessage(requestId), instance, code: "bug", issues: [] };
  }
  return {
    type: `urn:apollo11:problem:${refusal.code}`,
    title: FAILURE_TITLES[refusal.code],
    status: refusal.status,
    detail: refusal.message,
    instance,
    code: refusal.code,
    issues: refusal.issues.map(({ path, message, code }) => ({ path, message, code })),
    ...(Object.keys(refusal.details).length > 0 ? { details: refusal.details } : {}),
  };
}

export function problemResponse(error: unknown, requestId: string, log: World["log"] | undefined): Response {
  const problem = problemOf(error, requestId);
  if (problem.status === 500) log?.error({ err: error, requestId }, "a request failed");
  const headers: Record<string, string> = { "content-type": "application/problem+json", "cache-control": "no-store" };
  if (problem.status === 401) headers["www-authenticate"] = 'Bearer realm="Apollo-11"';
  if (problem.status === 503) headers["retry-after"] = "2";
  return new Response(JSON.stringify(problem), { status: problem.status, headers });
}

export const notThere = (path: string) =>
  new DomainError("not_found", `there is nothing at ${path.slice(0, 200)}; /api/v1/openapi.json lists what there is`);
