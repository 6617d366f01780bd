import { withoutComment } from "./crontab-command";

const MAX_NAME = 64;
const MAX_TITLE = 80;
/** Programs that only start another one; their own name says nothing. */
const WRAPPERS: ReadonlySet<string> = new Set(
  "sudo nice ionice nohup time timeout flock env exec chronic cronic setsid xargs sh bash dash zsh python python3 perl node php ruby java run-one run-parts".split(
    " ",
  ),
);
/** Shell words before the program that matters: a test, a change of folder, an assignment. */
const PREAMBLE = /^(?:cd|test|\[|\[\[|\.|source|export|umask|sleep|if|!)$/;
const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*=/;

const baseName = (path: string) => path.split("/").at(-1) ?? path;
const withoutQuotes = (word: string) => word.replace(/^["']|["']$/g, "");
const slug = (text: string) =>
  text
    .toLowerCase()
    .replace(/\.(?:sh|py|pl|rb|js|mjs|ts|php|jar)$/, "")
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, MAX_NAME)
    .replace(/-+$/, "");

/** The word of one simple command that names what it does; null for a preamble. */
function programOf(simple: string): string | null {
  const words = simple
    .trim()
    .split(/\s+/)
    .map(withoutQuotes)
    .filter((word) => word !== "" && !ASSIGNMENT.test(word));
  const [first = ""] = words;
  if (first === "" || PREAMBLE.test(first)) return null;
  if (!WRAPPERS.has(baseName(first))) return first;
  const inner = words
    .slice(1)
    .filter((word) => !word.startsWith("-") && !/^\d+[smhd]?$/.test(word) && !word.endsWith(".lock") && slug(baseName(word)) !== "");
  return inner.find((word) => !WRAPPERS.has(baseName(word))) ?? first;
}

/** A name for the pipeline, from the program that the command starts; `fallback` where no letter is left of it. */
export function proposeName(command: string, fallback: string): string {
  const simple = withoutComment(command).split(/&&|\|\||[;|]/);
  const programs = simple.map(programOf).filter((program) => program !== null);
  const name = slug(baseName(programs[0] ?? ""));
  return name === "" ? fallback : name;
}

/** A title that people recognise: the command itself, shortened. */
export function proposeTitle(command: string): string {
  const text = withoutComment(command)
    .replace(/\s+/g, " ")
    .replace(/\p{Cc}/gu, "");
  const signs = Array.from(text);
  return signs.length <= MAX_TITLE ? text : `${signs.slice(0, MAX_TITLE - 1).join("")}…`;
}

/** The same name, or the first free one with a number; the result is taken from then on. */
export function claimName(name: string, taken: Set<string>): string {
  let free = name;
  for (let number = 2; taken.has(free); number++)
    free = `${name.slice(0, MAX_NAME - String(number).length - 1).replace(/-+$/, "")}-${number}`;
  taken.add(free);
  return free;
}
