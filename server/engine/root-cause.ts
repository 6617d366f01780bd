const MAX = 500;

/** What lies at the bottom of an error: above it stands the whole statement, with what it was given. */
export function rootMessage(error: unknown): string {
  let root = error;
  while (root instanceof Error && root.cause instanceof Error) root = root.cause;
  return (root instanceof Error ? root.message : String(root)).slice(0, MAX);
}

/** The code with which the database refused, at whatever depth it stands; empty where it was no refusal of the database's. */
export function sqlState(error: unknown): string {
  for (let each: unknown = error; each instanceof Error; each = each.cause) {
    if ("code" in each && typeof each.code === "string") return each.code;
  }
  return "";
}
