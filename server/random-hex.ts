import { randomFillSync } from "node:crypto";

/** One call of the system costs as much as filling a page of it, and every run and attempt wants a few bytes. */
const page = Buffer.alloc(4_096);
let used = page.length;

/** `bytes` random bytes of the system as lower-case hex; each byte is given once and then wiped. */
export function randomHex(bytes: number): string {
  if (bytes > page.length) return randomFillSync(Buffer.alloc(bytes)).toString("hex");
  if (used + bytes > page.length) {
    randomFillSync(page);
    used = 0;
  }
  const taken = page.subarray(used, used + bytes);
  used += bytes;
  const text = taken.toString("hex");
  taken.fill(0);
  return text;
}
