import type { AddressInfo } from "node:net";
import { connect, createServer, type Socket } from "node:net";

/** Where a process dies: before its k-th statement has left it, or after the database has done it and before the answer is there. */
export interface Death {
  /** Counted from 1; BEGIN and COMMIT are statements as well. */
  readonly statement: number;
  readonly side: "before" | "after";
}

/** A way to Postgres on which a process can die at any statement boundary, whatever driver or call it uses. */
export interface Failpoint {
  /** The database's URL by this way. */
  readonly url: string;
  /** Counts statements from now on and cuts every connection at the given one. */
  arm(death: Death): void;
  /** Ends the count; tells how many statements were seen, and whether the death came. */
  disarm(): { readonly statements: number; readonly died: boolean };
  close(): Promise<void>;
}

interface Count {
  readonly death: Death | null;
  statements: number;
  died: boolean;
}

export async function openFailpoint(databaseUrl: string): Promise<Failpoint> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let count: Count = { death: null, statements: 0, died: false };

  const die = () => {
    count.died = true;
    for (const socket of sockets) socket.destroy();
  };
  const onDial = (near: Socket) => {
    const far = connect(Number(target.port), target.hostname);
    const drop = () => {
      near.destroy();
      far.destroy();
    };
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on("error", drop);
      socket.on("close", () => {
        sockets.delete(socket);
        drop();
      });
    }
    let answersUntilDeath = 0;
    const asked = reader(true, (type, statement) => {
      if (type === "S" || type === "Q") {
        count.statements += 1;
        const due = count.death !== null && !count.died && count.statements === count.death.statement;
        if (due && count.death?.side === "before") return die();
        if (due) answersUntilDeath = 1;
      }
      far.write(statement);
    });
    const answered = reader(false, (type, answer) => {
      if (type === "Z" && answersUntilDeath > 0 && --answersUntilDeath === 0) return die();
      // Nothing of a dead statement's answer comes through, not even its rows.
      if (answersUntilDeath === 0) near.write(answer);
    });
    near.on("data", asked);
    far.on("data", answered);
  };
  const server = createServer(onDial);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = new URL(databaseUrl);
  url.hostname = "127.0.0.1";
  url.port = String((server.address() as AddressInfo).port);

  return {
    url: url.toString(),
    arm: (death) => {
      count = { death, statements: 0, died: false };
    },
    disarm: () => {
      const { statements, died } = count;
      count = { death: null, statements: 0, died: false };
      return { statements, died };
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** Messages that end what a driver sends in one go: Sync, Query, Flush, the password, and the farewell. */
const ENDS = new Set(["S", "Q", "H", "p", "X"]);

/**
 * Cuts a stream of protocol messages: what a client sends is given on by whole statements, so that a death before one leaves
 * nothing of it at the server; what the server sends, message by message. A client's first message has no type.
 */
function reader(fromClient: boolean, give: (type: string, bytes: Buffer) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  let begun = !fromClient;
  let from = 0;
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let at = from;
    let start = 0;
    for (;;) {
      const head = begun ? 1 : 0;
      if (rest.length < at + head + 4) break;
      const length = head + rest.readInt32BE(at + head);
      if (rest.length < at + length) break;
      const type = begun ? String.fromCharCode(rest[at] ?? 0) : "startup";
      at += length;
      begun = true;
      if (fromClient && type !== "startup" && !ENDS.has(type)) continue;
      give(type, rest.subarray(start, at));
      start = at;
    }
    rest = rest.subarray(start);
    from = at - start;
  };
}
