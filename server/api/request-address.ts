import { subscribe } from "node:diagnostics_channel";
import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";

/** The other end of the connection. This process writes it on every request, over whatever a client sent under its name. */
const PEER_HEADER = "x-apollo-peer";

/** From where a request came, as far as it is known; null where nobody that is trusted says so. */
export type AddressOf = (headers: Headers) => string | null;

/** Notes the peer of every request that this process accepts, before anything reads its headers. */
export function notePeers(): void {
  subscribe("http.server.request.start", (message) => {
    const { request } = message as { readonly request: IncomingMessage };
    const peer = request.socket.remoteAddress;
    if (peer === undefined) delete request.headers[PEER_HEADER];
    else request.headers[PEER_HEADER] = peer;
  });
}

/**
 * Reads the address of a client. Each proxy on the way appends the address that it was called from to `x-forwarded-for`; of
 * that list only so many entries are true as there are proxies that we know of, counted from its end. All before them, and
 * without a proxy the whole header, is what the client chose to say.
 */
export function addressBehind(trustedProxies: number): AddressOf {
  return (headers) => {
    if (trustedProxies === 0) return address(headers.get(PEER_HEADER));
    return address(headers.get("x-forwarded-for")?.split(",").at(-trustedProxies));
  };
}

function address(text: string | null | undefined): string | null {
  const plain = text?.trim().replace(/^::ffff:(?=\d+\.)/i, "") ?? "";
  return isIP(plain) ? plain : null;
}
