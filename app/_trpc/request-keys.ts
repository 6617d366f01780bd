/** Random enough to be nobody else's, also where the page is not served over TLS and `randomUUID` is missing. */
function freshKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * Keys for one dialog: the same values get the same key, so that a press whose answer was lost is not a second run;
 * other values are another request.
 */
export function requestKeys(fresh: () => string = freshKey): (values: unknown) => string {
  const keys = new Map<string, string>();
  return (values) => {
    const text = JSON.stringify(values);
    const key = keys.get(text) ?? `console-${fresh()}`;
    keys.set(text, key);
    return key;
  };
}
