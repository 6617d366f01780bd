const MAX_NAME = 64;

/** A name in the form that addresses and files can hold, from what people call it; empty where nothing of it can stay. */
export function nameFrom(title: string): string {
  return title
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+/, "")
    .slice(0, MAX_NAME)
    .replace(/-+$/, "");
}
