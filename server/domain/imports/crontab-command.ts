/** What a shell is given: the command line, and what stands on its standard input. */
export interface CrontabCommand {
  readonly command: string;
  readonly stdin: string | null;
}

/**
 * Splits at the first plain `%` as cron does: what follows is standard input, each further `%` a new
 * line; `\%` is a percent sign; every other backslash stays.
 */
export function splitCommand(text: string): CrontabCommand {
  const parts: string[] = [""];
  const add = (piece: string) => {
    parts[parts.length - 1] += piece;
  };
  for (let at = 0; at < text.length; at++) {
    const sign = text.charAt(at);
    const following = text.charAt(at + 1);
    if (sign === "\\" && following !== "") {
      add(following === "%" ? "%" : sign + following);
      at++;
    } else if (sign === "%") {
      parts.push("");
    } else {
      add(sign);
    }
  }
  const [command = "", ...input] = parts;
  if (input.length === 0) return { command: command.trim(), stdin: null };
  const stdin = input.join("\n");
  return { command: command.trim(), stdin: stdin === "" || stdin.endsWith("\n") ? stdin : `${stdin}\n` };
}

/** Where a shell comment begins that cron, too, hands to the shell; null if there is none. */
export function trailingComment(command: string): string | null {
  let quote: string | null = null;
  for (let at = 0; at < command.length; at++) {
    const sign = command.charAt(at);
    if (quote !== null) {
      if (sign === "\\" && quote === '"') at++;
      else if (sign === quote) quote = null;
    } else if (sign === "\\") at++;
    else if (sign === '"' || sign === "'") quote = sign;
    else if (sign === "#" && (at === 0 || /\s/.test(command.charAt(at - 1)))) return command.slice(at);
  }
  return null;
}

/** The command without a comment that the shell would ignore. */
export function withoutComment(command: string): string {
  const comment = trailingComment(command);
  return comment === null ? command : command.slice(0, command.length - comment.length).trim();
}
