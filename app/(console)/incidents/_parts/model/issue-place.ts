/** `actions[2].due` is the third action's date: the word for it, and which one. */
export function issuePlace(path: string): { readonly key: string; readonly n: number } {
  const [, at, field] = /^actions\[(\d+)\]\.(\w+)$/.exec(path) ?? [];
  return field === undefined ? { key: path, n: 0 } : { key: `actions_${field}`, n: Number(at) + 1 };
}
