import type { LogView } from "../views";
import { type LogLine, logFile } from "./model/log-tail";
import type { ReadLogs } from "./use-log-tail";

const PAGE = 100;

/** Every line of an attempt from its first one; tells how far it is. */
export async function readWholeLog(read: ReadLogs, onLines: (count: number) => void): Promise<LogLine[]> {
  const lines: LogLine[] = [];
  let after = -1;
  for (;;) {
    const page: LogView = await read({ after, tail: PAGE });
    lines.push(...page.chunks.flatMap((chunk) => chunk.lines));
    onLines(lines.length);
    const last = page.chunks.at(-1)?.chunk;
    if (last === undefined || last <= after || page.chunks.length < PAGE) return lines;
    after = last;
  }
}

export function saveLog(lines: readonly LogLine[], name: string) {
  const address = URL.createObjectURL(new Blob([logFile(lines)], { type: "text/plain;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
