import { z } from "zod";
import { MAX_CODE_LENGTH } from "@/server/domain/errors/code";

/** A pattern over error codes: upper snake case, where `*` stands for anything, also nothing. */
export const patternSchema = z
  .string()
  .trim()
  .min(1)
  .max(MAX_CODE_LENGTH)
  .regex(/^[A-Z0-9_*]+$/, { error: "not a pattern of error codes; write A-Z, 0-9, _ and * for anything, such as *_TIMEOUT_*" });

/** Whether a code is one of those that a pattern means. Linear: each part is looked for once, from the left. */
export function matchesCode(pattern: string, code: string): boolean {
  const [head = "", ...parts] = pattern.split("*");
  const tail = parts.pop();
  if (tail === undefined) return pattern === code;
  if (!code.startsWith(head) || !code.endsWith(tail) || code.length < head.length + tail.length) return false;
  let at = head.length;
  const end = code.length - tail.length;
  for (const part of parts) {
    const found = code.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}
