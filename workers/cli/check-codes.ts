// A check for CI that stands alone: it needs this file, a token and the address of a console, and no database.
import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { codesInText } from "@/server/domain/codes/codes-in-text";

const USAGE =
  "Usage: node check-codes.mjs --server https://apollo.example --project demo --token-file <file> [files…]; without files their names are read from stdin, one a line";

interface Place {
  readonly file: string;
  readonly line: number;
}
interface Refused {
  readonly code: string;
  readonly state: "proposed" | "deprecated" | null;
  readonly near: readonly string[];
}

const MAX_CODES = 2_000;

try {
  process.exitCode = await check();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}

async function check(): Promise<number> {
  const { server, project, tokenFile, files } = await readArguments();
  const places = await placesIn(files);
  const refused: Refused[] = [];
  const codes = [...places.keys()];
  for (let at = 0; at < codes.length; at += MAX_CODES) {
    refused.push(...(await ask({ server, project, tokenFile, codes: codes.slice(at, at + MAX_CODES) })));
  }
  for (const code of refused) for (const line of told(code, places.get(code.code) ?? [], `${server}/codes`)) console.error(line);
  console.log(`${codes.length} codes in ${files.length} files, ${refused.length} refused`);
  return refused.length === 0 ? 0 : 1;
}

async function placesIn(files: readonly string[]): Promise<Map<string, Place[]>> {
  const places = new Map<string, Place[]>();
  for (const file of files) {
    for (const { code, line } of codesInText(await readFile(file, "utf8"))) {
      places.set(code, [...(places.get(code) ?? []), { file, line }]);
    }
  }
  return places;
}

/** What is wrong, where, and what to do. */
function told({ code, state, near }: Refused, places: readonly Place[], register: string): string[] {
  const is = state === null ? "is not registered" : state === "proposed" ? "is proposed and not approved yet" : "is deprecated";
  const use = near.length > 0 ? `use ${near.join(" or ")}, or ` : "";
  const todo =
    state === "proposed" ? "have it approved" : state === "deprecated" ? `${use}take it out` : `${use}propose it under ${register}`;
  return places.map(({ file, line }) => `${file}:${line}: ${code} ${is}; ${todo}`);
}

async function ask(of: { server: string; project: string; tokenFile: string; codes: readonly string[] }): Promise<Refused[]> {
  const token = (await readFile(of.tokenFile, "utf8")).trim();
  const url = `${of.server}/api/v1/projects/${encodeURIComponent(of.project)}/codes/check`;
  const answer = await fetch(url, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ codes: of.codes }),
    signal: AbortSignal.timeout(30_000),
  });
  const body = (await answer.json()) as { refused?: Refused[]; detail?: string };
  if (!answer.ok || !body.refused) throw new Error(`${url} answered ${answer.status}: ${body.detail ?? "no reason given"}`);
  return body.refused;
}

async function readArguments() {
  const option = { type: "string" } as const;
  const { values, positionals } = parseArgs({ options: { server: option, project: option, "token-file": option }, allowPositionals: true });
  const { server, project, "token-file": tokenFile } = values;
  if (!server || !project || !tokenFile) throw new Error(USAGE);
  const files = positionals.length > 0 ? positionals : (await text(process.stdin)).split("\n").filter((name) => name.trim() !== "");
  return { server: server.replace(/\/+$/, ""), project, tokenFile, files };
}
