export interface ExportedCode {
  readonly code: string;
  readonly title: string;
  readonly grade: string;
}

/**
 * A TypeScript module with a project's registered codes, for tasks: `new TaskError(CODES.X.status, CODES.X.number, …)`.
 * A worker strips its own domain and module from the status, so that the code comes out as it stands here (EXC-9).
 */
export function codeConstants(project: string, codes: readonly ExportedCode[]): string {
  const lines = [...codes]
    .sort((a, b) => (a.code < b.code ? -1 : 1))
    .map(({ code, title, grade }) => {
      const at = code.lastIndexOf("_");
      const value = { code, status: code.slice(0, at), number: Number(code.slice(at + 1)), grade, title };
      return `  ${code}: ${JSON.stringify(value)},`;
    });
  return [
    `// Registered error codes of project ${JSON.stringify(project)}. Made by Apollo-11; change a code there and fetch this file again.`,
    lines.length === 0 ? "export const CODES = {} as const;" : `export const CODES = {\n${lines.join("\n")}\n} as const;`,
    "export type ErrorCode = keyof typeof CODES;",
    "",
  ].join("\n");
}
