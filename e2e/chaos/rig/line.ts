import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/**
 * How a line treats what goes over it. `drop` swallows every byte and keeps the connections, `half-open` also takes new
 * dials without ever answering, `cut` resets what is there and refuses new dials.
 */
export type LineMode = "pass" | "drop" | "half-open" | "cut";

/** An answer to lose: the request has been forwarded and done, and the one who asked never learns of it. */
export interface LostAnswer {
  /** A request that holds this arms the loss of its answer. */
  readonly request?: RegExp;
  /** An answer that holds this is lost. */
  readonly answer?: RegExp;
  /** How many, and then no more. */
  readonly times: number;
}

interface Pair {
  readonly near: Socket;
  readonly far: Socket;
  readonly out: Pump;
  readonly back: Pump;
  /** Statements that were prepared on it, by name. */
  readonly prepared: Map<string, string>;
  armed: boolean;
  gone: boolean;
}

/** How long the far end may go on with what it was asked after its asker is gone. */
const LINGER_MS = 3_000;
/** The first byte of PostgreSQL's message that prepares a statement. */
const PARSE = "P".charCodeAt(0);

/** A small TCP proxy of one process to one service, as a network that can fail. Loopback only. */
export class Line {
  #mode: LineMode = "pass";
  #delayMs = 0;
  #losing: { readonly what: LostAnswer; left: number } | null = null;
  #lost = 0;
  #server: Server | null = null;
  #port = 0;
  readonly #pairs = new Set<Pair>();
  readonly #target: () => number;

  /** `target` is asked at every dial: a service may come back elsewhere. */
  constructor(target: () => number) {
    this.#target = target;
  }

  get port(): number {
    return this.#port;
  }

  /** Answers that were lost since the last order. */
  get lost(): number {
    return this.#lost;
  }

  get connections(): number {
    return this.#pairs.size;
  }

  async open(): Promise<this> {
    await this.#listen(this.#port);
    return this;
  }

  async set(mode: LineMode): Promise<void> {
    const before = this.#mode;
    this.#mode = mode;
    if (mode === "cut") {
      this.reset();
      await this.#shut();
    }
    // What was said into a silent line is lost for good, so that a healed one starts anew.
    if (mode === "pass" && before !== "pass") {
      this.reset();
      if (before === "cut") await this.#listen(this.#port);
    }
  }

  /** Each byte comes later by this, both ways. */
  delay(ms: number): void {
    this.#delayMs = ms;
  }

  lose(what: LostAnswer): void {
    this.#losing = { what, left: what.times };
    this.#lost = 0;
  }

  async heal(): Promise<void> {
    this.#delayMs = 0;
    this.#losing = null;
    await this.set("pass");
  }

  /** Ends every connection at once, as a middlebox that was started again; new dials pass. */
  reset(): void {
    for (const pair of this.#pairs) drop(pair);
    this.#pairs.clear();
  }

  async close(): Promise<void> {
    this.reset();
    await this.#shut();
  }

  #dialled(near: Socket): void {
    near.setNoDelay(true);
    if (this.#mode === "half-open") {
      near.on("error", () => near.destroy());
      near.resume();
      this.#pairs.add(mute(near));
      return;
    }
    const far = connect({ port: this.#target(), host: "127.0.0.1", noDelay: true });
    const pair: Pair = { near, far, out: new Pump(far), back: new Pump(near), prepared: new Map(), armed: false, gone: false };
    this.#pairs.add(pair);
    near.on("data", (chunk: Buffer) => this.#asked(pair, chunk));
    far.on("data", (chunk: Buffer) => this.#answered(pair, chunk));
    for (const socket of [near, far]) {
      socket.on("error", () => undefined);
      socket.on("close", () => {
        // Over a line that is silent the other end does not learn of it, as in a network that is cut.
        if (this.#mode !== "pass" && !pair.gone) return;
        drop(pair);
        this.#pairs.delete(pair);
      });
    }
  }

  #asked(pair: Pair, chunk: Buffer): void {
    if (this.#mode !== "pass" || pair.gone) return;
    const text = chunk[0] === PARSE || this.#losing ? chunk.toString("latin1") : "";
    const [, name, said] = chunk[0] === PARSE ? (/^P[\s\S]{4}([^\0]+)\0([^\0]*)/.exec(text) ?? []) : [];
    if (name !== undefined && said !== undefined) pair.prepared.set(name, said);
    const request = this.#losing && this.#losing.left > 0 ? this.#losing.what.request : undefined;
    if (request && asksFor(pair, text, request)) pair.armed = true;
    pair.out.push(chunk, this.#delayMs);
  }

  #answered(pair: Pair, chunk: Buffer): void {
    if (this.#mode !== "pass" || pair.gone) return;
    if (this.#loses(pair, chunk)) {
      pair.gone = true;
      pair.near.resetAndDestroy();
      setTimeout(() => pair.far.destroy(), LINGER_MS).unref();
      return;
    }
    pair.back.push(chunk, this.#delayMs);
  }

  #loses(pair: Pair, chunk: Buffer): boolean {
    const losing = this.#losing;
    if (!losing || losing.left <= 0) return false;
    const { request, answer } = losing.what;
    const matches = (!request || pair.armed) && (!answer || answer.test(chunk.toString("latin1")));
    if (!matches) return false;
    losing.left -= 1;
    this.#lost += 1;
    return true;
  }

  #listen(port: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const server = createServer((socket) => this.#dialled(socket));
      server.once("error", reject);
      server.listen(port, "127.0.0.1", () => {
        this.#server = server;
        this.#port = (server.address() as AddressInfo).port;
        resolve();
      });
    });
  }

  async #shut(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    if (server) await new Promise<void>((resolve) => server.close(() => resolve()));
  }
}

/** By its text, or by the name under which its text was prepared on this connection. */
const asksFor = ({ prepared }: Pair, text: string, request: RegExp): boolean =>
  request.test(text) || [...prepared].some(([name, said]) => request.test(said) && text.includes(`\0${name}\0`));

/** A dial that is taken and never answered. */
const mute = (near: Socket): Pair => ({
  near,
  far: near,
  out: new Pump(near),
  back: new Pump(near),
  prepared: new Map(),
  armed: false,
  gone: false,
});

function drop(pair: Pair): void {
  pair.near.destroy();
  if (!pair.gone) pair.far.destroy();
}

/** One direction of one connection: in order, each chunk not before its time. */
class Pump {
  readonly #to: Socket;
  readonly #waiting: { readonly chunk: Buffer; readonly dueMs: number }[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(to: Socket) {
    this.#to = to;
  }

  push(chunk: Buffer, delayMs: number): void {
    if (delayMs === 0 && this.#waiting.length === 0) {
      this.#to.write(chunk);
      return;
    }
    this.#waiting.push({ chunk, dueMs: performance.now() + delayMs });
    this.#arm();
  }

  #arm(): void {
    const [next] = this.#waiting;
    if (!next || this.#timer) return;
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        this.#flush();
      },
      Math.max(1, next.dueMs - performance.now()),
    );
  }

  #flush(): void {
    while (this.#waiting[0] && this.#waiting[0].dueMs <= performance.now()) {
      const { chunk } = this.#waiting.shift() as { chunk: Buffer };
      if (!this.#to.destroyed) this.#to.write(chunk);
    }
    this.#arm();
  }
}
