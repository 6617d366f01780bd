/** The beginning of a text, never half of a surrogate pair: that has no place in what is kept as JSON (B78). */
export const cutText = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length - 1).replace(/\p{Surrogate}/gu, "")}…`;
