const YEAR_S = 31_536_000;

/** Keeps a choice of this browser where the server can read it, so that the first paint is already right. */
export function keepChoice(name: string, value: string | null) {
  const life = value === null ? 0 : YEAR_S;
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser that we serve
  document.cookie = `${name}=${encodeURIComponent(value ?? "")}; path=/; max-age=${life}; samesite=lax`;
}
