import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";
import { addressBehind, notePeers } from "./request-address";

describe("where a request came from", () => {
  test.each([
    [0, "9.9.9.9", null],
    [0, "9.9.9.9, 10.0.0.1", null],
    [1, "9.9.9.9", "9.9.9.9"],
    [1, "6.6.6.6, 9.9.9.9", "9.9.9.9"],
    [1, "6.6.6.6, not an address", null],
    [1, "2001:db8::1", "2001:db8::1"],
    [1, "::ffff:9.9.9.9", "9.9.9.9"],
    [2, "6.6.6.6, 9.9.9.9, 10.0.0.1", "9.9.9.9"],
    [2, "9.9.9.9", null],
    [1, "", null],
  ])("with %d proxies of ours, %j names %j, whatever a client wrote before it (SEC-2, AUD-2)", (proxies, forwarded, expected) => {
    expect(addressBehind(proxies)(new Headers({ "x-forwarded-for": forwarded }))).toBe(expected);
  });

  test("without a proxy it is the other end of the connection, and a client cannot name another (AUD-2)", async () => {
    notePeers();
    const server = createServer((request, response) => {
      const headers = new Headers(Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]));
      response.end(String(addressBehind(0)(headers)));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      const { port } = server.address() as AddressInfo;
      const forged = { "x-apollo-peer": "6.6.6.6", "x-forwarded-for": "6.6.6.6" };
      expect(await (await fetch(`http://127.0.0.1:${port}/`, { headers: forged })).text()).toBe("127.0.0.1");
    } finally {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });
});
