import { PLATFORM_CODES } from "@/server/domain/errors/code";
import { readProblem } from "@/server/domain/errors/problem-document";
import { DomainError } from "@/server/domain/failure";
import { MAX_OUTPUT_BYTES } from "@/server/domain/run/work";
import type { Clock } from "@/server/engine/context";
import type { HttpAnswer, HttpClient } from "@/server/engine/ports";
import type { Fault } from "../fault";
import { type AcceptedOutput, acceptJson, acceptValue, outputTooLarge } from "../output";
import type { Executed, Execution, Response } from "./execution";

/** Of a body: masked before it is cut for good. */
const QUOTED_BODY = 16_000;
const MAX_SHOWN_HEADERS = 60;
const MAX_RETRY_AFTER_MS = 24 * 3_600_000;
/** Another attempt sends the same request: these say that it is the request that is wrong. */
const FINAL = new Set([400, 401, 403, 404, 405, 406, 410, 411, 413, 414, 415, 422, 501, 505]);

export interface HttpExecutorOptions {
  readonly http: HttpClient;
  readonly clock: Clock;
}

/** Sends one request through the guarded client and judges the answer. */
export async function executeHttp(options: HttpExecutorOptions, execution: Execution<"http">): Promise<Executed> {
  const { with: sent, claimed, signal, log } = execution;
  const startedMs = options.clock.monotonicMs();
  try {
    const answer = await options.http.send({
      projectId: claimed.projectId,
      method: sent.method,
      url: sent.url,
      headers: headersOf(execution),
      body: bodyOf(sent),
      // The attempt's own limit ends the request; this one is for a client that would not hear it.
      timeoutMs: execution.timeoutMs + 1_000,
      maxBytes: MAX_OUTPUT_BYTES + 1,
      signal,
    });
    const response = responseOf(answer, options.clock.monotonicMs() - startedMs);
    log.system(`${sent.method} ${answer.finalUrl} answered ${answer.status} in ${String(response.durationMs)} ms`);
    return judge(execution, answer, response, options.clock);
  } catch (error) {
    const response = unanswered(sent.url, options.clock.monotonicMs() - startedMs);
    if (signal.aborted) return { kind: "killed", response };
    const isSent = !(error instanceof DomainError) || !NEVER_SENT.has(error.code);
    return { kind: "failed", fault: transportFault(error, sent.method), response: isSent ? response : null };
  }
}

/** The guard refused the target, or there is none. */
const NEVER_SENT = new Set(["forbidden", "invalid_input"]);

/** A call without an answer still says whom it asked and how long it waited; of the address no more than its origin. */
function unanswered(url: string, durationMs: number): Response | null {
  const origin = URL.canParse(url) ? new URL(url).origin : "null";
  return origin === "null" ? null : { url: origin, durationMs: Math.round(durationMs) };
}

function headersOf({ with: sent, claimed, traceparent }: Execution<"http">): Record<string, string> {
  const own = {
    "idempotency-key": claimed.executionId,
    traceparent,
    "x-apollo-run": claimed.runId,
    "x-apollo-node": claimed.key,
    "x-apollo-attempt": String(claimed.attemptNo),
    "x-apollo-token": String(claimed.token),
  };
  const authors = Object.fromEntries(Object.entries(sent.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
  const type: Record<string, string> =
    sent.body === undefined ? {} : { "content-type": typeof sent.body === "string" ? "text/plain; charset=utf-8" : "application/json" };
  return { accept: "application/json, */*;q=0.5", ...type, ...authors, ...own };
}

function bodyOf(sent: Execution<"http">["with"]): string | null {
  if (sent.body === undefined || sent.method === "GET" || sent.method === "HEAD") return null;
  return typeof sent.body === "string" ? sent.body : JSON.stringify(sent.body);
}

function judge({ with: sent, log }: Execution<"http">, answer: HttpAnswer, response: Response, clock: Clock): Executed {
  const isAccepted = sent.accept ? sent.accept.includes(answer.status) : answer.status >= 200 && answer.status < 300;
  if (!isAccepted) return { kind: "failed", fault: statusFault(sent.method, answer, clock), response };
  const accepted = outputOf(answer);
  if (accepted.kind === "refused") return { kind: "failed", fault: accepted.fault, response };
  for (const note of accepted.notes) log.system(note);
  return { kind: "succeeded", output: accepted.output, response };
}

function outputOf(answer: HttpAnswer): AcceptedOutput {
  if (answer.truncated) return { kind: "refused", fault: outputTooLarge(null) };
  if (answer.body === "") return { kind: "accepted", output: null, notes: [] };
  const isJson = /^application\/(?:[\w.+-]+\+)?json\b/i.test(answer.headers["content-type"] ?? "");
  return isJson ? acceptJson(answer.body) : acceptValue(answer.body);
}

function responseOf(answer: HttpAnswer, durationMs: number): Response {
  const hidden = new Set(["set-cookie", "authorization", "proxy-authenticate"]);
  const headers = Object.entries(answer.headers)
    .filter(([name]) => !hidden.has(name))
    .slice(0, MAX_SHOWN_HEADERS);
  return {
    status: answer.status,
    url: answer.finalUrl,
    headers: Object.fromEntries(headers),
    bytes: Buffer.byteLength(answer.body),
    durationMs: Math.round(durationMs),
  };
}

function statusFault(method: string, answer: HttpAnswer, clock: Clock): Fault {
  const problem = answer.truncated ? null : readProblem(answer.headers["content-type"], answer.body);
  return {
    status: statusWord(answer.status) ?? problem?.status ?? "HTTP",
    number: answer.status,
    message: `${method} ${answer.finalUrl} answered ${answer.status}`,
    quoted: problem && problem.text !== "" ? problem.text : answer.body.trim().slice(0, QUOTED_BODY),
    retryable: !FINAL.has(answer.status),
    finalBy: "number",
    retryAfterMs: retryAfterMs(answer.headers["retry-after"], clock),
    ...(problem ? { context: problem.context } : {}),
    ...(LOST_BEHIND.has(answer.status) ? lostAnswer(method) : {}),
  };
}

/** The words that routing and retry policies go by, whatever the service calls it. */
function statusWord(status: number): string | null {
  if (status === 408 || status === 504) return "TIMEOUT";
  if (status === 429) return "RATE_LIMIT";
  if (status === 400 || status === 422) return "VALIDATION";
  return null;
}

function retryAfterMs(header: string | undefined, clock: Clock): number | null {
  if (header === undefined) return null;
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1_000 : Date.parse(header) - clock.now().getTime();
  return Number.isFinite(ms) && ms > 0 ? Math.min(ms, MAX_RETRY_AFTER_MS) : null;
}

const TRANSPORT: Readonly<Record<string, { status: string; number: number }>> = {
  timeout: { status: "TIMEOUT", number: 504 },
  dns: { status: "DNS", number: 502 },
  connect: { status: "CONNECT", number: 503 },
  redirects: { status: "REDIRECT", number: 310 },
  headers: { status: "HEADERS_TOO_LARGE", number: 431 },
};

/** A gateway's word that whoever stands behind it was asked and gave no answer. */
const LOST_BEHIND = new Set([502, 504]);
/** What was on its way when the connection broke. */
const LOST_ON_THE_WAY = new Set(["network", "timeout", "headers"]);

/** A request that changes nothing can be lost without a doubt about its effect. */
const lostAnswer = (method: string): { fateUnknown?: true } => (method === "GET" || method === "HEAD" ? {} : { fateUnknown: true });

function transportFault(error: unknown, method: string): Fault {
  if (!(error instanceof DomainError)) {
    return { code: PLATFORM_CODES.worker, message: error instanceof Error ? error.message : String(error), retryable: true };
  }
  if (error.code === "forbidden") return { code: PLATFORM_CODES.targetRefused, message: error.message, retryable: false };
  if (error.code === "invalid_input") return { status: "VALIDATION", number: 400, message: error.message, retryable: false };
  const reason = String(error.details.reason);
  const kind = TRANSPORT[reason] ?? { status: "NETWORK", number: 502 };
  return { ...kind, message: error.message, retryable: true, ...(LOST_ON_THE_WAY.has(reason) ? lostAnswer(method) : {}) };
}
