import { parseCron } from "../schedule/cron";
import { type CrontabForm, readSyntax, type SourceLine } from "./crontab-syntax";

const USER_NAME = /^[a-z_][a-z0-9_-]{0,31}$/;
/** Accounts of common systems, without those that are also commands, such as mail or sync. */
const SYSTEM_USERS: ReadonlySet<string> = new Set(
  "root www-data nobody daemon postgres mysql apache nginx httpd backup bin sys redis git jenkins ubuntu admin munin-node logcheck".split(
    " ",
  ),
);
const HEADER_WITH_USER = /\buser(?:-?name)?\b\s+\bcommand\b/i;

/**
 * Whether a crontab has a column for the user. Taken as the system's only where every entry could have
 * one and something says so: a header line, or the name of a known account.
 */
export function detectForm(lines: readonly SourceLine[]): CrontabForm {
  const syntax = lines.map(({ raw }) => readSyntax(raw));
  const users = syntax.flatMap((line) => {
    if (line.kind !== "entry" || !parseCron(line.expression, "vixie").ok) return [];
    const [user = "", ...command] = line.rest.split(/\s+/);
    return [command.length > 0 && USER_NAME.test(user) ? user : null];
  });
  if (users.length === 0 || users.includes(null)) return "user";
  const hasHeader = syntax.some((line) => line.kind === "comment" && HEADER_WITH_USER.test(line.text));
  return hasHeader || users.some((user) => user !== null && SYSTEM_USERS.has(user)) ? "system" : "user";
}
