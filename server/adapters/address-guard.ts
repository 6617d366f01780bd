import { networkInterfaces } from "node:os";
import ipaddr from "ipaddr.js";

export interface Target {
  readonly host: string;
  readonly port: number;
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;

const NAT64: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse("64:ff9b::"), 96];
const SIX_TO_FOUR: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse("2002::"), 16];

/** The IPv4 address that an IPv6 one stands for (mapped, NAT64, 6to4), or the address itself. */
function unwrapped(address: Address): Address {
  if (address instanceof ipaddr.IPv4) return address;
  const bytes = address.toByteArray();
  if (address.isIPv4MappedAddress()) return address.toIPv4Address();
  if (address.match(...NAT64)) return new ipaddr.IPv4(bytes.slice(12));
  if (address.match(...SIX_TO_FOUR)) return new ipaddr.IPv4(bytes.slice(2, 6));
  return address;
}

/** The canonical form of an address text, with what it stands for; null where the text is no address. */
export function canonicalAddress(text: string): string | null {
  const bare = text.replace(/^\[|\]$/g, "").replace(/%.*$/, "");
  // Only the strict forms: what a URL parser leaves of `0x7f.1` or `2130706433` is already dotted.
  if (!ipaddr.IPv4.isValidFourPartDecimal(bare) && !ipaddr.IPv6.isValid(bare)) return null;
  return unwrapped(ipaddr.parse(bare)).toString();
}

/** Whether an address lies in the public internet; everything else needs an administrator's row (SEC-2). */
export function isPublicAddress(text: string): boolean {
  const canonical = canonicalAddress(text);
  return canonical !== null && ipaddr.parse(canonical).range() === "unicast";
}

/** Whether an address reaches this machine: loopback, unspecified, or one of its interfaces. */
export function isThisMachine(text: string): boolean {
  const canonical = canonicalAddress(text);
  if (canonical === null) return false;
  const range = ipaddr.parse(canonical).range();
  if (range === "loopback" || range === "unspecified") return true;
  return Object.values(networkInterfaces()).some((list) => list?.some((each) => canonicalAddress(each.address) === canonical));
}
