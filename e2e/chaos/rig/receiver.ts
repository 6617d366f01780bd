import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** One call of a node, as it came in. */
export interface Call {
  /** The idempotency key: the execution id. */
  readonly key: string;
  readonly run: string;
  readonly node: string;
  readonly attempt: number;
  readonly token: number;
  readonly atMs: number;
  /** False where the receiver refused before anything took effect. */
  readonly accepted: boolean;
  /** The key was known: a receiver that honours it does nothing. */
  readonly repeated: boolean;
  /** Of the process that called, where it says so. */
  readonly pid: number | null;
}

/**
 * The world outside: it takes effect once for each idempotency key, as a receiver that honours keys does, and remembers
 * every call, as one that does not would have acted. `?fail=n` refuses the first calls of a key, `?hold=ms` answers late.
 */
export class Receiver {
  readonly calls: Call[] = [];
  readonly #byKey = new Map<string, Call[]>();
  readonly #server: Server;
  readonly #held = new Set<NodeJS.Timeout>();

  constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response).catch(() => response.destroy()));
    // A worker keeps its connections; none of ours may end under a request.
    this.#server.keepAliveTimeout = 120_000;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  open(): Promise<void> {
    return new Promise((resolve) => this.#server.listen(0, "127.0.0.1", () => resolve()));
  }

  close(): void {
    for (const timer of this.#held) clearTimeout(timer);
    this.#server.closeAllConnections();
    this.#server.close();
  }

  callsOf(key: string): readonly Call[] {
    return this.#byKey.get(key) ?? [];
  }

  /** Calls of a node of a run. */
  callsOfNode(run: string, node: string): readonly Call[] {
    return this.calls.filter((call) => call.run === run && call.node === node);
  }

  /** What a run has no more need of, so that a long chain of rows stays small. */
  forget(): void {
    this.calls.length = 0;
    this.#byKey.clear();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for await (const _ of request) {
      // The body says nothing that counts.
    }
    const url = new URL(request.url ?? "/", "http://receiver");
    const call = this.#record(request, Number(url.searchParams.get("fail") ?? 0));
    const send = () => {
      response.writeHead(call.accepted ? 200 : 503, { "content-type": "application/json" });
      response.end(JSON.stringify({ repeated: call.repeated }));
    };
    const holdMs = Number(url.searchParams.get("hold") ?? 0);
    // A key that was taken before is answered at once, as by a receiver that finds it done.
    if (holdMs === 0 || call.repeated) return send();
    const timer = setTimeout(() => {
      this.#held.delete(timer);
      send();
    }, holdMs);
    this.#held.add(timer);
  }

  #record({ headers }: IncomingMessage, refuse: number): Call {
    const said = (name: string) => String(headers[name] ?? "");
    const key = said("idempotency-key");
    const before = this.#byKey.get(key) ?? [];
    const accepted = before.length >= refuse;
    const call: Call = {
      key,
      run: said("x-apollo-run"),
      node: said("x-apollo-node"),
      attempt: Number(said("x-apollo-attempt")),
      token: Number(said("x-apollo-token")),
      atMs: performance.now(),
      accepted,
      repeated: before.some((each) => each.accepted),
      pid: headers["x-pid"] === undefined ? null : Number(headers["x-pid"]),
    };
    this.calls.push(call);
    this.#byKey.set(key, [...before, call]);
    return call;
  }
}
