import { fetchRequestHandler } from "@trpc/server/adapters/fetch";
import superjson from "superjson";
import { DomainError, type FailureCode } from "@/server/domain/failure";
import { bugMessage, refusalOf } from "../failures";
import { consoleCtx } from "../request-ctx";
import { appRouter } from "../root";
import type { FailureData } from "../trpc";
import { checkedJson, readBody, requireJsonType, requireSameOrigin } from "../walls";
import { theWorld, type World } from "../world";

export const TRPC_PATH = "/api/trpc";
const MAX_BATCH = 20;
const NO_STORE = { "cache-control": "no-store" };

/** The console's own door. Whatever comes in passes the walls before it reaches a procedure. */
export async function handleTrpc(request: Request, given?: World): Promise<Response> {
  let world = given;
  try {
    const held = given ?? theWorld();
    world = held;
    const checked = await pastWalls(request);
    const ctx = { ...(await consoleCtx(held, request)), world: held };
    return await fetchRequestHandler({
      endpoint: TRPC_PATH,
      req: checked,
      router: appRouter,
      createContext: () => ctx,
      // Queries come by POST too: their inputs stay out of addresses and logs. A mutation by GET is refused all the same.
      allowMethodOverride: true,
      maxBatchSize: MAX_BATCH,
      responseMeta: () => ({ headers: NO_STORE }),
      onError: ({ error, path }) => {
        if (refusalOf(error) === null && error.code === "INTERNAL_SERVER_ERROR") {
          held.log.error({ err: error.cause ?? error, path, requestId: ctx.source.id }, "a procedure failed");
        }
      },
    });
  } catch (error) {
    const refusal = refusalOf(error);
    const requestId = crypto.randomUUID();
    if (!refusal) world?.log.error({ err: error, requestId }, "the console's door failed");
    return refused(request, refusal, requestId);
  }
}

async function pastWalls(request: Request): Promise<Request> {
  const url = new URL(request.url);
  const calls = url.pathname.slice(TRPC_PATH.length).split(",").length;
  if (calls > MAX_BATCH) throw new DomainError("invalid_input", `a batch holds at most ${MAX_BATCH} calls; this one holds ${calls}`);
  const query = url.searchParams.get("input");
  if (query) checkedJson(query, withoutEnvelope);
  if (request.method === "GET") {
    const site = request.headers.get("sec-fetch-site");
    if (site !== null && site !== "same-origin" && site !== "none") requireSameOrigin(request);
    return request;
  }
  requireSameOrigin(request);
  requireJsonType(request);
  const body = await readBody(request);
  if (body !== "") checkedJson(body, withoutEnvelope);
  return new Request(request.url, { method: request.method, headers: request.headers, body, signal: request.signal });
}

/** The paths of issues lead into the procedure's input, not into the batch and the serialiser around it. */
const withoutEnvelope = (path: string): string => path.replace(/^(?:\["?\d+"?\]\.?)?(?:json\.?)?/, "");

const STATUS_CODES: Readonly<Record<FailureCode | "bug", string>> = {
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
  bug: "INTERNAL_SERVER_ERROR",
};

/** In the shape that the client library reads, so that a screen shows the same refusal wherever it came from. */
function refused(request: Request, refusal: DomainError | null, requestId: string): Response {
  const url = new URL(request.url);
  const paths = decodeURIComponent(url.pathname.slice(TRPC_PATH.length + 1))
    .split(",")
    .slice(0, MAX_BATCH);
  const failure: FailureData = { code: refusal?.code ?? "bug", issues: refusal?.issues ?? [], details: refusal?.details ?? {} };
  const status = refusal?.status ?? 500;
  const answer = (path: string) => ({
    error: superjson.serialize({
      message: refusal?.message ?? bugMessage(requestId),
      code: -32_600,
      data: { code: STATUS_CODES[failure.code], httpStatus: status, path, requestId, failure },
    }),
  });
  const body = url.searchParams.get("batch") === "1" ? paths.map(answer) : answer(paths[0] ?? "");
  return Response.json(body, { status, headers: NO_STORE });
}
