import { DomainError } from "@/server/domain/failure";
import { invalidInput } from "@/server/domain/input";
import { parseJson } from "@/server/domain/pipeline/parse-json";
import { toPlainTree } from "@/server/domain/pipeline/plain-tree";

export const MAX_BODY_BYTES = 2_000_000;

/** The text of a body, read no further than the limit; refused where it is not UTF-8. */
export async function readBody(request: Request, maxBytes = MAX_BODY_BYTES): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const stream: AsyncIterable<Uint8Array> | null = request.body as AsyncIterable<Uint8Array> | null;
  for await (const chunk of stream ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes)
      throw new DomainError("too_large", `the body is larger than ${maxBytes} bytes; send less, or split it`, { details: { maxBytes } });
    chunks.push(chunk);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new DomainError("invalid_input", "the body is not UTF-8 text; send it as UTF-8", {
      issues: [{ path: "", code: "broken_text", message: "is not UTF-8" }],
    });
  }
}

/** JSON that may go on: well-formed, at most 64 levels deep, no NUL, no broken text, no integer that would lose digits. */
export function checkedJson(text: string, strip: (path: string) => string = (path) => path): unknown {
  const parsed = parseJson(text);
  if (parsed.kind !== "value") {
    const code = parsed.kind === "refused" ? parsed.code : "syntax";
    throw invalidInput([{ path: "", code, message: `character ${parsed.position + 1}: ${parsed.message}` }], "the JSON");
  }
  const tree = toPlainTree(parsed.value);
  if (tree.issues.length > 0) throw invalidInput(tree.issues.map((issue) => ({ ...issue, path: strip(issue.path) })));
  return tree.value;
}

export function requireJsonType(request: Request): void {
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? "";
  if (type !== "application/json") throw new DomainError("invalid_input", `content-type is "${type.slice(0, 100)}"; send application/json`);
}

/**
 * A page of another site can make a browser send our cookie, and cannot make it lie about where it comes from (B97).
 * `Host` is of the request itself, so the console works under whatever name it is reached by.
 */
export function requireSameOrigin(request: Request): void {
  const site = request.headers.get("sec-fetch-site");
  const origin = request.headers.get("origin");
  const host = request.headers.get("host") ?? new URL(request.url).host;
  const fromHere = origin === null ? site === "same-origin" : URL.canParse(origin) && new URL(origin).host === host;
  if (fromHere && (site === null || site === "same-origin")) return;
  throw new DomainError("forbidden", "this request does not come from the console's own pages; scripts use /api/v1 with a service token");
}
