import type { AddressInfo } from "node:net";
import { connect, createServer, type Server, type Socket } from "node:net";

/** A line to Postgres that a test can cut, as a network would. */
export interface Line {
  /** The database's URL by way of this line. */
  readonly url: string;
  /** `open` passes everything, `refused` answers no dial and drops what was there, `silent` accepts and never answers. */
  set(state: LineState): Promise<void>;
  /** As a firewall that lost its state: what is connected now stays dead without a word, and new dials pass. */
  forget(): void;
  close(): Promise<void>;
}

export type LineState = "open" | "refused" | "silent";

export async function openLine(databaseUrl: string): Promise<Line> {
  const target = new URL(databaseUrl);
  const pairs = new Set<{ near: Socket; far: Socket; dead: boolean }>();
  let state: LineState = "open";

  const onDial = (near: Socket) => {
    const far = connect(Number(target.port), target.hostname);
    const pair = { near, far, dead: false };
    pairs.add(pair);
    const drop = () => {
      pairs.delete(pair);
      near.destroy();
      far.destroy();
    };
    for (const socket of [near, far]) {
      socket.on("error", drop);
      socket.on("close", drop);
    }
    near.on("data", (chunk) => state === "open" && !pair.dead && far.write(chunk));
    far.on("data", (chunk) => state === "open" && !pair.dead && near.write(chunk));
  };
  const dropAll = () => {
    for (const { near } of pairs) near.destroy();
  };
  let server = createServer(onDial);
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const url = new URL(databaseUrl);
  url.hostname = "127.0.0.1";
  url.port = String(port);

  return {
    url: url.toString(),
    set: async (next) => {
      const before = state;
      state = next;
      // What was said into a silent line is lost, so that a healed one starts anew.
      if (next !== "silent") dropAll();
      if (next === "refused" && before !== "refused") await shut(server);
      if (before === "refused" && next !== "refused") {
        server = createServer(onDial);
        await listen(port);
      }
    },
    forget: () => {
      for (const pair of pairs) pair.dead = true;
    },
    close: async () => {
      dropAll();
      await shut(server);
    },
  };
}

const shut = (server: Server) => new Promise<void>((resolve) => server.close(() => resolve()));
