import { initTRPC, TRPCError } from "@trpc/server";
import superjson from "superjson";
import type { Permission } from "@/server/domain/access/roles";
import type { FailureCode, InputIssue } from "@/server/domain/failure";
import { authorisePlatform, refuseAnonymous } from "@/server/engine/access/authorise";
import type { Ctx } from "@/server/engine/context";
import { bugMessage, refusalOf } from "./failures";
import type { World } from "./world";

/** A verb's world, and what only a request has. */
export interface ProcedureCtx extends Ctx {
  readonly world: World;
}

/** Who may call: a permission in the project that the input names, or what no project decides. */
export type Access = Permission | "signed-in" | "administrator" | "anyone";

interface ProcedureMeta {
  readonly access: Access;
}

/** What a browser learns of a refusal; the message says what is wrong, where, and what to do. */
export interface FailureData {
  readonly code: FailureCode | "bug";
  readonly issues: readonly InputIssue[];
  readonly details: Readonly<Record<string, unknown>>;
}

const PING_MS = 15_000;
/** A stream begins anew now and then, so that an ended session or a lost role ends it too. */
const STREAM_MS = 10 * 60_000;

const t = initTRPC
  .context<ProcedureCtx>()
  .meta<ProcedureMeta>()
  .create({
    transformer: superjson,
    isDev: false,
    sse: { ping: { enabled: true, intervalMs: PING_MS }, maxDurationMs: STREAM_MS, client: { reconnectAfterInactivityMs: 3 * PING_MS } },
    errorFormatter: ({ shape, error, ctx }) => {
      const refusal = refusalOf(error);
      const requestId = ctx?.source.id ?? "";
      const known = refusal !== null || error.code !== "INTERNAL_SERVER_ERROR";
      const failure: FailureData = {
        code: refusal?.code ?? (known ? "invalid_input" : "bug"),
        issues: refusal?.issues ?? [],
        details: refusal?.details ?? {},
      };
      return {
        ...shape,
        message: refusal?.message ?? (known ? shape.message : bugMessage(requestId)),
        data: { code: shape.data.code, httpStatus: shape.data.httpStatus, path: shape.data.path, requestId, failure },
      };
    },
  });

const TRPC_CODES = {
  invalid_input: "BAD_REQUEST",
  unauthenticated: "UNAUTHORIZED",
  forbidden: "FORBIDDEN",
  not_found: "NOT_FOUND",
  conflict: "CONFLICT",
  stale: "CONFLICT",
  illegal_transition: "CONFLICT",
  too_large: "PAYLOAD_TOO_LARGE",
  unprocessable: "UNPROCESSABLE_CONTENT",
  too_many_requests: "TOO_MANY_REQUESTS",
  unavailable: "SERVICE_UNAVAILABLE",
} as const satisfies Record<FailureCode, TRPCError["code"]>;

const refuses = t.middleware(async ({ next, getRawInput }) => {
  try {
    await getRawInput();
  } catch (cause) {
    throw new TRPCError({ code: "BAD_REQUEST", message: "the input cannot be read; send what the client library writes", cause });
  }
  const result = await next();
  if (result.ok) return result;
  const refusal = refusalOf(result.error);
  if (!refusal) return result;
  throw new TRPCError({ code: TRPC_CODES[refusal.code], message: refusal.message, cause: refusal });
});

/** The role in a project is judged by the verb, at the data; what needs none is judged here. */
const admits = (access: Access) =>
  t.middleware(({ ctx, next }) => {
    if (access === "administrator") authorisePlatform(ctx);
    else if (access !== "anyone") refuseAnonymous(ctx);
    return next();
  });

/** The one way to a procedure: there is none without saying who may call it. */
export const permitted = (access: Access) => t.procedure.meta({ access }).use(refuses).use(admits(access));

export const router = t.router;
export const callerFactory = t.createCallerFactory;
