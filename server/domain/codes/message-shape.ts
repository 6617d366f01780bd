/**
 * What stays of a message without what changes from one event to the next: `message_shape` in the database, which the inbox
 * groups by, says the same of each.
 */
export function messageShape(message: string): string {
  const [line = ""] = message.split("\n", 1);
  const head = [...line.slice(0, 2 * MAX_SHAPE)].slice(0, MAX_SHAPE).join("");
  return head
    .replace(QUOTED, '"…"')
    .replace(WITH_DIGIT, "#")
    .replace(/^ +| +$/g, "");
}

/** In characters, as the database counts them; a character is at most two units here. */
const MAX_SHAPE = 300;
const QUOTED = /'[^']*'|"[^"]*"/g;
const WITH_DIGIT = /[^ \t\n\v\f\r\u3000]*[0-9][^ \t\n\v\f\r\u3000]*/g;
