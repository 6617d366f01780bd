import { DomainError } from "@/server/domain/failure";

export interface Hop {
  readonly url: URL;
  readonly method: string;
  readonly body: string | null;
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** What another origin may see; an author's own headers may hold a credential under any name. */
const SAFE_ELSEWHERE = /^(accept|accept-language|content-type|user-agent|traceparent|tracestate|idempotency-key|x-apollo-.*)$/i;

/** Where an answer sends the client on to; null where it is the answer itself. */
export function nextHop(hop: Hop, status: number, location: string | string[] | undefined): Hop | null {
  if (!REDIRECTS.has(status) || typeof location !== "string") return null;
  if (!URL.canParse(location, hop.url)) {
    throw new DomainError("unavailable", `${shownUrl(hop.url)} redirected to something that is no URL.`, {
      details: { reason: "redirects" },
    });
  }
  const url = new URL(location, hop.url);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new DomainError("forbidden", `${shownUrl(hop.url)} redirected to ${url.protocol}, which a node cannot follow.`);
  }
  if (hop.url.protocol === "https:" && url.protocol === "http:") {
    throw new DomainError("forbidden", `${shownUrl(hop.url)} redirected from https to http, which is not followed.`);
  }
  url.username = "";
  url.password = "";
  const becomesGet = status === 303 ? hop.method !== "HEAD" : (status === 301 || status === 302) && hop.method === "POST";
  if (becomesGet) return { url, method: "GET", body: null };
  if (hop.body !== null && url.origin !== hop.url.origin) {
    throw new DomainError(
      "forbidden",
      `${shownUrl(hop.url)} redirected the request with its body to ${url.origin}, another origin, which may not see it. ` +
        "Write that address into the node if it is meant.",
      { details: { reason: "redirects" } },
    );
  }
  return { url, method: hop.method, body: hop.body };
}

/** The headers that go on: all of them within an origin, only the harmless ones to another. */
export function carriedHeaders(headers: Readonly<Record<string, string>>, from: URL, to: Hop): Record<string, string> {
  const stays = from.origin === to.url.origin;
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => {
      if (to.body === null && /^content-/i.test(name)) return false;
      return stays || SAFE_ELSEWHERE.test(name);
    }),
  );
}

/** A URL as an error or an answer may show it: a query can hold a key. */
export function shownUrl(url: URL): string {
  return `${url.origin}${url.pathname}${url.search === "" ? "" : "?…"}`;
}
