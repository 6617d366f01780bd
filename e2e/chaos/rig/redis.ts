import { spawn } from "node:child_process";
import { connect } from "node:net";
import { isAlive } from "../../fixtures/processes";
import { freePort } from "../../fixtures/product";
import { until } from "../../fixtures/until";
import type { Warden } from "./warden";

/** A rig's own Redis, that keeps nothing over a restart. */
export class Redis {
  readonly #warden: Warden;
  #pid: number | null = null;
  #port = 0;

  constructor(warden: Warden) {
    this.#warden = warden;
  }

  get port(): number {
    return this.#port;
  }

  get isRunning(): boolean {
    return this.#pid !== null && isAlive(this.#pid);
  }

  async start(): Promise<void> {
    if (this.#port === 0) this.#port = await freePort();
    const args = ["--port", String(this.#port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", this.#warden.folder];
    const child = spawn("redis-server", args, { stdio: "ignore" });
    child.on("error", () => undefined);
    if (child.pid === undefined) throw new Error("redis-server is not there; on Debian: apt-get install redis-server");
    this.#pid = child.pid;
    this.#warden.guard(child.pid);
    await until("redis answers", async () => (await this.ask("PING").catch(() => "")).startsWith("+PONG"), 20_000);
  }

  async kill(): Promise<void> {
    const pid = this.#pid;
    if (pid === null) return;
    process.kill(pid, "SIGKILL");
    await until("redis has ended", () => !isAlive(pid), 10_000);
  }

  /** One command over a connection of its own, in the words of redis-cli; answers with the first that comes back. */
  ask(...words: string[]): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port: this.#port, host: "127.0.0.1" });
      const request = `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join("")}`;
      socket.once("connect", () => socket.write(request));
      socket.once("error", reject);
      socket.setTimeout(5_000, () => socket.destroy(new Error("redis does not answer")));
      socket.once("data", (said) => {
        socket.destroy();
        resolve(said.toString());
      });
    });
  }
}
