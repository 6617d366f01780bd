/** A pattern over codes: capitals, digits and `_`, with `*` for any stretch of them, also an empty one. */
export const CODE_PATTERN = /^[A-Z0-9_*]+$/;

/** Whether a code is one that the pattern means. Linear in both: a star takes the shortest stretch that lets the rest follow. */
export function matchesCode(pattern: string, code: string): boolean {
  const [head = "", ...rest] = pattern.split("*");
  const tail = rest.pop();
  if (tail === undefined) return code === head;
  if (!code.startsWith(head) || code.length < head.length + tail.length || !code.endsWith(tail)) return false;
  const end = code.length - tail.length;
  let from = head.length;
  for (const part of rest) {
    const found = code.indexOf(part, from);
    if (found === -1 || found + part.length > end) return false;
    from = found + part.length;
  }
  return true;
}
