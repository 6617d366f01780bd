import type { IncomingHttpHeaders } from "node:http";

/** An open ear at the doorbells of some groups. A listener without a free slot pauses, so that an idle one answers. */
export interface Listening {
  pause(): void;
  resume(): void;
  close(): Promise<void>;
}

/** Wakes workers. A ring is a hint: losing, repeating or reordering one changes nothing but latency. */
export interface Doorbell {
  /** Says that a group has work. Never throws: a failed ring is counted, and the poll is the net. */
  ring(groups: readonly string[]): Promise<void>;
  /** Calls `onRing` for the given groups until closed. */
  listen(groups: readonly string[], onRing: (group: string) => Promise<void>): Promise<Listening>;
  depth(group: string): Promise<number>;
  /** Takes out what waits to be heard in a group, and says how much it was; 0 where the queue cannot be asked. */
  purge(group: string): Promise<number>;
  close(): Promise<void>;
}

export interface HttpRequest {
  readonly projectId: string;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  /** A redirect is the answer: what turns a POST into a GET would look like a delivery. */
  readonly staysHere?: true;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The body was longer than `maxBytes`; what is here is its beginning. */
  readonly truncated: boolean;
  /** After redirects. */
  readonly finalUrl: string;
}

/** The guarded client (SEC-2): addresses are checked at the dial and on each hop. Throws DomainError `forbidden` when refused. */
export interface HttpClient {
  send(request: HttpRequest): Promise<HttpAnswer>;
}

/** Encrypts and opens secrets; the master key never leaves this port. */
export interface Vault {
  readonly keyId: string;
  seal(
    context: { projectId: string; name: string; version: number },
    value: string,
  ): { wrappedKey: Buffer; nonce: Buffer; ciphertext: Buffer };
  open(
    context: { projectId: string; name: string; version: number },
    sealed: { wrappedKey: Buffer; nonce: Buffer; ciphertext: Buffer },
  ): string;
}

/** Tells web processes that something of a project changed; at most each 100 ms, ids only. */
export interface LiveFeed {
  changed(projectId: string): void;
  /** `onGap` is called when the line was cut and is back: what happened in between was not heard. */
  subscribe(onChange: (projectId: string) => void, onGap?: () => void): Promise<{ close(): Promise<void> }>;
  close(): Promise<void>;
}

export interface Mail {
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  /** Of what it tells; the same at every try. */
  readonly eventId: string;
}

/** Hands a mail to the installation's mail server, or throws. */
export interface Mailer {
  send(mail: Mail): Promise<void>;
}

export interface Ports {
  readonly doorbell: Doorbell;
  readonly http: HttpClient;
  readonly vault: Vault;
  readonly live: LiveFeed;
  readonly mail: Mailer;
  /** Where a person's browser finds the product; links in messages begin with it. */
  readonly baseUrl: string;
}
