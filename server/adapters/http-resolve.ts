import { lookup } from "node:dns/promises";
import { isIPv6, type LookupFunction } from "node:net";
import { buildConnector } from "undici";
import { DomainError } from "@/server/domain/failure";
import { canonicalAddress, type Target } from "./address-guard";

/** All addresses of a name; of a literal, itself. */
export type Resolve = (host: string) => Promise<readonly string[]>;
/** Why it is refused, or null. */
export type Verdict = string | null;
export type Judge = (target: Target, addresses: readonly string[]) => Promise<Verdict>;

export const resolveByOs: Resolve = async (host) => {
  const literal = canonicalAddress(host);
  if (literal !== null) return [literal];
  const found = await lookup(host, { all: true, verbatim: true });
  return found.map((each) => each.address);
};

/** The dial's own lookup: what it judged is what gets connected, so a name that changes in between gains nothing. */
function permittedLookup(resolve: Resolve, judge: Judge, port: number): LookupFunction {
  return (hostname, options, callback) => {
    const host = hostname.replace(/\.$/, "").toLowerCase();
    const work = async () => {
      const addresses = await resolve(host);
      const refusal = await judge({ host, port }, addresses);
      if (refusal) throw new DomainError("forbidden", refusal, { details: { host, port } });
      return addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
    };
    work().then(
      (found) => {
        const [first] = found;
        if (!first) callback(Object.assign(new Error(`${host} has no address`), { code: "ENOTFOUND" }), "", 0);
        else if (options.all) callback(null, found);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), "", 0),
    );
  };
}

/** Dials for one project. A connector a port, since Node tells a lookup the host alone. */
export function permittedConnector(resolve: Resolve, judge: Judge, limitMs: number): buildConnector.connector {
  const byPort = new Map<number, buildConnector.connector>();
  return (options, callback) => {
    const port = Number(options.port) || (options.protocol === "https:" ? 443 : 80);
    const connector = byPort.get(port) ?? buildConnector({ timeout: limitMs, lookup: permittedLookup(resolve, judge, port) });
    byPort.set(port, connector);
    connector(options, callback);
  };
}
