import type { Spec } from "./pipelines";

export interface Answered<T> {
  readonly status: number;
  readonly json: T;
}

/** The REST surface of a rig's web process, as a script uses it. */
export class Client {
  readonly #url: string;
  readonly #token: () => string;
  readonly project = "chaos";

  constructor(url: string, token: () => string) {
    this.#url = url;
    this.#token = token;
  }

  async call<T>(method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answered<T>> {
    const answer = await fetch(`${this.#url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${this.#token()}`, "content-type": "application/json", ...headers },
      signal: AbortSignal.timeout(10_000),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, json: (await answer.json()) as T };
  }

  async apply(name: string, spec: Spec): Promise<void> {
    const definition = { apiVersion: "apollo11/v1", kind: "Pipeline", metadata: { name, title: name, owner: "chaos" }, spec };
    const { status, json } = await this.call("PUT", `/projects/${this.project}/pipelines/${name}`, definition);
    if (status >= 300) throw new Error(`${name} was not taken: ${JSON.stringify(json)}`);
  }

  /** Throws where the server does not answer, or answers with a failure of its own. */
  async trigger(pipeline: string, key: string): Promise<string> {
    const path = `/projects/${this.project}/pipelines/${pipeline}/runs`;
    const { status, json } = await this.call<{ id: string }>("POST", path, { params: {} }, { "idempotency-key": key });
    if (status >= 300) throw new Error(`${pipeline} was not started: ${status} ${JSON.stringify(json)}`);
    return json.id;
  }

  async cancel(runId: string): Promise<void> {
    const { status, json } = await this.call("POST", `/runs/${runId}/cancel`, { reason: "the rig cancels" });
    if (status >= 300) throw new Error(`run ${runId} was not cancelled: ${status} ${JSON.stringify(json)}`);
  }
}
