/** A Postgres array literal; every element quoted, so that no text can end it. */
export const textArray = (values: readonly string[]): string =>
  `{${values.map((value) => `"${value.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`).join(",")}}`;
