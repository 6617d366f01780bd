import { codeWords } from "./code";

/** What a service says of a refusal (RFC 9457), as far as it can be read. */
export interface ProblemDocument {
  /** Words of the type's last part, `out-of-stock`; null for `about:blank` and what names nothing. */
  readonly status: string | null;
  /** Title, detail and type in one line of text. */
  readonly text: string;
  /** Its own members that are texts or numbers; what is no business key of the pipeline is dropped later. */
  readonly context: Readonly<Record<string, string>>;
}

const MAX_BODY = 64 * 1024;
const STANDARD: ReadonlySet<string> = new Set(["type", "title", "status", "detail", "instance"]);

/** Reads the body of an `application/problem+json` answer; null where it is none. */
export function readProblem(mediaType: string | undefined, body: string): ProblemDocument | null {
  if (!/^application\/problem\+json\b/i.test(mediaType?.trim() ?? "") || body.length > MAX_BODY) return null;
  let given: unknown;
  try {
    given = JSON.parse(body);
  } catch {
    return null;
  }
  if (given === null || typeof given !== "object" || Array.isArray(given)) return null;
  const members = given as Readonly<Record<string, unknown>>;
  const [type, title, detail] = [members.type, members.title, members.detail].map((text) => (typeof text === "string" ? text.trim() : ""));
  const named = type === "" || type === undefined || /^about:blank/i.test(type) ? "" : type;
  const text = [title, detail].filter((part) => part !== "").join(": ");
  return {
    status: wordsOf(named),
    text: named === "" ? text : `${text} (${named})`.trim(),
    context: Object.fromEntries(
      Object.entries(members)
        .filter(([key, value]) => !STANDARD.has(key) && (typeof value === "string" || typeof value === "number"))
        .map(([key, value]) => [key, String(value)]),
    ),
  };
}

/** A type is a URI whose last part mostly says what happened; a number or an id there says nothing. */
function wordsOf(type: string): string | null {
  const last = type
    .replace(/[?#].*$/, (rest) => (/^#[A-Za-z]/.test(rest) ? `/${rest.slice(1)}` : ""))
    .split(/[/:]/)
    .findLast((part) => part !== "");
  const words = codeWords(last ?? "");
  return /^[A-Z][A-Z0-9_]{1,39}$/.test(words) && !/\d{3}/.test(words) && !last?.includes(".") ? words : null;
}
