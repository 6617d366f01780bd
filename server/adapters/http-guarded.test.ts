import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { until } from "@/db/testing/wait";
import { DomainError } from "@/server/domain/failure";
import type { HttpRequest } from "@/server/engine/ports";
import { isPublicAddress } from "./address-guard";
import { type GuardedHttpClient, type GuardedHttpOptions, guardedHttp } from "./http-guarded";
import { resolveByOs } from "./http-resolve";

const seen: { url: string; headers: IncomingMessage["headers"]; method: string; body: string }[] = [];
let answer: (request: IncomingMessage, response: ServerResponse) => void = (_, response) => response.end("ok");
const listen = async () => {
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (part: Buffer) => {
      body += part.toString();
    });
    request.on("end", () => {
      seen.push({ url: request.url ?? "", headers: request.headers, method: request.method ?? "", body });
      answer(request, response);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return server;
};
const portOf = (server: Server) => (server.address() as AddressInfo).port;

let here: Server;
let elsewhere: Server;
const clients: GuardedHttpClient[] = [];

beforeAll(async () => {
  [here, elsewhere] = await Promise.all([listen(), listen()]);
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  here.closeAllConnections();
  elsewhere.closeAllConnections();
  here.close();
  elsewhere.close();
});
afterEach(() => {
  seen.length = 0;
  answer = (_, response) => response.end("ok");
});

const client = (options: Partial<GuardedHttpOptions> = {}) => {
  const made = guardedHttp({ isOpened: async () => false, own: [], ...options });
  clients.push(made);
  return made;
};
const ask = (url: string, more: Partial<HttpRequest> = {}): HttpRequest => ({
  projectId: "p1",
  method: "GET",
  url,
  headers: {},
  body: null,
  timeoutMs: 5_000,
  maxBytes: 1_000,
  signal: new AbortController().signal,
  ...more,
});
const opened =
  (...places: string[]): GuardedHttpOptions["isOpened"] =>
  async (_, target) =>
    places.includes(`${target.host}:${target.port}`);
const failureOf = async (work: Promise<unknown>) => {
  const error = await work.then(
    () => new Error("it was sent"),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof DomainError)) throw error;
  return error;
};

test.each([
  ["loopback", "127.0.0.1"],
  ["another loopback", "127.9.9.9"],
  ["decimal", "2130706433"],
  ["hexadecimal", "0x7f000001"],
  ["octal", "0177.0.0.1"],
  ["short", "127.1"],
  ["mapped IPv6", "[::ffff:127.0.0.1]"],
  ["mapped IPv6 in hexadecimal", "[::ffff:7f00:1]"],
  ["IPv6 loopback", "[::1]"],
  ["unspecified", "0.0.0.0"],
  ["IPv6 unspecified", "[::]"],
  ["a name", "localhost"],
  ["a name with a dot at the end", "localhost."],
  ["a subdomain of localhost", "foo.localhost"],
])("%s (%s) is refused, and nothing is dialled (SEC-2)", async (_, host) => {
  const resolve = async (name: string) => (name.endsWith("localhost") ? ["127.0.0.1"] : resolveByOs(name));
  const error = await failureOf(client({ resolve }).send(ask(`http://${host}:${portOf(here)}/x?key=canary`)));
  expect(error.code).toBe("forbidden");
  expect(error.message).not.toContain("canary");
  expect(seen).toEqual([]);
});

test.each([
  "10.0.0.1",
  "172.16.0.1",
  "172.31.255.255",
  "192.168.1.1",
  "169.254.169.254",
  "100.64.0.1",
  "192.0.0.1",
  "198.18.0.1",
  "224.0.0.1",
  "240.0.0.1",
  "255.255.255.255",
  "0.1.2.3",
  "fc00::1",
  "fd12:3456::1",
  "fe80::1",
  "fe80::1%eth0",
  "ff02::1",
  "::ffff:10.0.0.1",
  "64:ff9b::10.0.0.1",
  "64:ff9b::a9fe:a9fe",
  "2002:a00:1::1",
  "2001:db8::1",
])("%s is no public address (SEC-2)", (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

test.each(["93.184.216.34", "8.8.8.8", "172.32.0.1", "2606:2800:220:1:248:1893:25c8:1946", "::ffff:8.8.8.8", "64:ff9b::808:808"])(
  "%s is a public address (SEC-2)",
  (address) => {
    expect(isPublicAddress(address)).toBe(true);
  },
);

test("one private address among public ones refuses the name (SEC-2)", async () => {
  const error = await failureOf(client({ resolve: async () => ["93.184.216.34", "10.0.0.1"] }).send(ask("http://mixed.example/")));
  expect(error.code).toBe("forbidden");
});

test("a name that turns private between the check and the dial is refused at the dial (SEC-2)", async () => {
  let asked = 0;
  const resolve = async () => (++asked === 1 ? ["93.184.216.34"] : ["127.0.0.1"]);
  const error = await failureOf(client({ resolve }).send(ask(`http://rebinding.example:${portOf(here)}/`)));
  expect(error.code).toBe("forbidden");
  expect(asked).toBe(2);
  expect(seen).toEqual([]);
});

test("an opened host and port is reached, its other ports and other names are not (SEC-2)", async () => {
  const guarded = client({ isOpened: opened(`127.0.0.1:${portOf(here)}`) });
  expect((await guarded.send(ask(`http://127.0.0.1:${portOf(here)}/`))).body).toBe("ok");
  expect((await failureOf(guarded.send(ask(`http://127.0.0.1:${portOf(elsewhere)}/`)))).code).toBe("forbidden");
  expect((await failureOf(guarded.send(ask(`http://localhost:${portOf(here)}/`)))).code).toBe("forbidden");
});

test("a host that is closed again is refused although a connection to it is still open (SEC-2)", async () => {
  let open = true;
  const guarded = client({ isOpened: async () => open });
  await guarded.send(ask(`http://127.0.0.1:${portOf(here)}/`));
  open = false;
  expect((await failureOf(guarded.send(ask(`http://127.0.0.1:${portOf(here)}/`)))).code).toBe("forbidden");
});

test.each(["127.0.0.1", "localhost", "[::1]", "0.0.0.0", "127.0.0.2"])(
  "a service of our own is refused at %s even where an administrator opened it (SEC-2)",
  async (host) => {
    const own = [{ host: "127.0.0.1", port: portOf(here) }];
    const error = await failureOf(client({ isOpened: async () => true, own }).send(ask(`http://${host}:${portOf(here)}/`)));
    expect(error.message).toContain("Apollo-11 itself");
    expect(seen).toEqual([]);
  },
);

test("a redirect to a private address is refused at its hop (SEC-2)", async () => {
  answer = (_, response) => response.writeHead(302, { location: `http://127.0.0.1:${portOf(elsewhere)}/admin` }).end();
  const error = await failureOf(client({ isOpened: opened(`127.0.0.1:${portOf(here)}`) }).send(ask(`http://127.0.0.1:${portOf(here)}/`)));
  expect(error.code).toBe("forbidden");
  expect(seen.map((each) => each.url)).toEqual(["/"]);
});

const redirectingElsewhere = (status: number) => {
  answer = (request, response) =>
    request.url === "/start"
      ? response.writeHead(status, { location: `http://127.0.0.1:${portOf(elsewhere)}/end` }).end()
      : response.end("end");
};

test("credentials stay with their origin: a redirect elsewhere carries none of the author's own headers (SEC-2)", async () => {
  redirectingElsewhere(307);
  const headers = { Authorization: "Bearer canary", "X-Api-Key": "canary", "Idempotency-Key": "e1" };
  const sent = ask(`http://127.0.0.1:${portOf(here)}/start`, { headers });
  const got = await client({ isOpened: async () => true }).send(sent);
  expect(got.body).toBe("end");
  expect(seen[0]?.headers).toMatchObject({ authorization: "Bearer canary", "x-api-key": "canary" });
  expect(seen[1]).toMatchObject({ url: "/end", method: "GET" });
  expect(seen[1]?.headers).toMatchObject({ "idempotency-key": "e1" });
  expect(JSON.stringify(seen[1]?.headers)).not.toContain("canary");
});

test.each([
  [307, "POST"],
  [308, "POST"],
  [301, "PUT"],
  [302, "PATCH"],
])(
  "a body stays with its origin: %i of a %s to another is refused, and the message says what to do (SEC-1, SEC-2)",
  async (status, method) => {
    redirectingElsewhere(status);
    const sent = ask(`http://127.0.0.1:${portOf(here)}/start`, { method, body: "password=canary" });
    const error = await failureOf(client({ isOpened: async () => true }).send(sent));
    expect(error.code).toBe("forbidden");
    expect(error.message).toMatch(/another origin.*Write that address into the node/);
    expect(seen.map((request) => request.url)).toEqual(["/start"]);
  },
);

test("a body goes on within its origin, and a 303 elsewhere goes without it (SEC-2)", async () => {
  answer = (request, response) => (request.url === "/start" ? response.writeHead(307, { location: "/end" }).end() : response.end("end"));
  await client({ isOpened: async () => true }).send(ask(`http://127.0.0.1:${portOf(here)}/start`, { method: "POST", body: "hello" }));
  redirectingElsewhere(303);
  await client({ isOpened: async () => true }).send(ask(`http://127.0.0.1:${portOf(here)}/start`, { method: "POST", body: "hello" }));
  expect(seen.map(({ method, body }) => [method, body])).toEqual([
    ["POST", "hello"],
    ["POST", "hello"],
    ["POST", "hello"],
    ["GET", ""],
  ]);
});

test("five redirects are followed and the sixth is refused (SEC-2)", async () => {
  const limit = { value: 5 };
  answer = (request, response) => {
    const hop = Number(request.url?.slice(1));
    if (hop < limit.value) response.writeHead(302, { location: `/${hop + 1}` }).end();
    else response.end("arrived");
  };
  const guarded = client({ isOpened: async () => true });
  expect((await guarded.send(ask(`http://127.0.0.1:${portOf(here)}/0`))).body).toBe("arrived");
  limit.value = 6;
  expect((await failureOf(guarded.send(ask(`http://127.0.0.1:${portOf(here)}/0`)))).details.reason).toBe("redirects");
});

test.each(["file:///etc/passwd", "ftp://example.org/", "gopher://127.0.0.1/"])("%s is refused (SEC-2)", async (url) => {
  expect((await failureOf(client().send(ask(url)))).code).toBe("forbidden");
});

test("a redirect to another protocol is refused (SEC-2)", async () => {
  answer = (_, response) => response.writeHead(302, { location: "file:///etc/passwd" }).end();
  expect((await failureOf(client({ isOpened: async () => true }).send(ask(`http://127.0.0.1:${portOf(here)}/`)))).code).toBe("forbidden");
});

test("a public host on a port of another protocol is refused (SEC-2)", async () => {
  const error = await failureOf(client({ resolve: async () => ["93.184.216.34"] }).send(ask("http://mail.example:25/")));
  expect(error.message).toContain("port below 1024");
});

test("a user and password in a URL are refused without being repeated (SEC-1)", async () => {
  const error = await failureOf(client().send(ask("http://admin:canary@example.org/")));
  expect(error.message).not.toContain("canary");
});

test("a body longer than the limit is cut and says so, also when it was packed (SEC-2)", async () => {
  const guarded = client({ isOpened: async () => true });
  answer = (_, response) => response.end("x".repeat(5_000));
  expect(await guarded.send(ask(`http://127.0.0.1:${portOf(here)}/`))).toMatchObject({ body: "x".repeat(1_000), truncated: true });
  answer = (_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("y".repeat(500_000)));
  expect(await guarded.send(ask(`http://127.0.0.1:${portOf(here)}/`))).toMatchObject({ body: "y".repeat(1_000), truncated: true });
});

test("a service that does not answer is given up at the limit, and an abort ends the request at once (SEC-2)", async () => {
  answer = () => undefined;
  const guarded = client({ isOpened: async () => true });
  const error = await failureOf(guarded.send(ask(`http://127.0.0.1:${portOf(here)}/`, { timeoutMs: 50 })));
  expect(error.details.reason).toBe("timeout");
  const stop = new AbortController();
  const aborted = guarded.send(ask(`http://127.0.0.1:${portOf(here)}/`, { signal: stop.signal }));
  stop.abort(new Error("canceled by a person"));
  await expect(aborted).rejects.toThrow("canceled by a person");
});

test("a limit of more than 24.8 days does not end the request at once (RUN-3)", async () => {
  const askedAt = performance.now();
  answer = (_, response) =>
    void until("some time has passed", async () => performance.now() - askedAt > 50).then(() => response.end("late"));
  const sent = ask(`http://127.0.0.1:${portOf(here)}/`, { timeoutMs: 30 * 86_400_000 });
  expect(await client({ isOpened: async () => true }).send(sent)).toMatchObject({ status: 200, body: "late" });
});

test("an abort ends a request whose permission is never answered (RUN-3, F3)", async () => {
  const abort = new AbortController();
  const isOpened = () =>
    new Promise<boolean>(() => {
      abort.abort(new Error("out of time"));
    });
  await expect(client({ isOpened }).send(ask(`http://127.0.0.1:${portOf(here)}/`, { signal: abort.signal }))).rejects.toThrow(
    "out of time",
  );
  expect(seen).toEqual([]);
});

test.each<Record<string, string>>([{ "x-a": "b\r\nx-injected: 1" }, { "bad name": "x" }])(
  "a header that would forge another one is refused: %o (SEC-3)",
  async (headers) => {
    const error = await failureOf(client({ isOpened: async () => true }).send(ask(`http://127.0.0.1:${portOf(here)}/`, { headers })));
    expect(error.code).toBe("invalid_input");
    expect(seen).toEqual([]);
  },
);

test("headers larger than the limit are refused (SEC-2)", async () => {
  answer = (_, response) => response.writeHead(200, { "x-large": "z".repeat(100_000) }).end();
  const error = await failureOf(client({ isOpened: async () => true }).send(ask(`http://127.0.0.1:${portOf(here)}/`)));
  expect(error.details.reason).toBe("headers");
});

test("a refused connection and an unknown name are told apart (SEC-2)", async () => {
  const guarded = client({ isOpened: async () => true, resolve: async (name) => (name === "gone.example" ? [] : resolveByOs(name)) });
  expect((await failureOf(guarded.send(ask("http://127.0.0.1:1/")))).details.reason).toBe("connect");
  expect((await failureOf(guarded.send(ask("http://gone.example/")))).details.reason).toBe("dns");
});
