export function checkDirection(root?: string): Promise<{
  code: number;
  modules: number;
  violations: { rule: string; from: string; to: string }[];
  output: string;
}>;
