import { Environment } from "@marcbachmann/cel-js";

export const RUN_FIELDS = ["id", "scheduledAt", "trigger"] as const;
export const ROOTS: ReadonlySet<string> = new Set(["params", "nodes", "run", "secrets"]);
export const LOOPS: ReadonlySet<string> = new Set(["map", "filter", "all", "exists", "exists_one"]);

/** All that the language offers here; `matches` is left out because a regular expression may never end. */
export const FUNCTIONS: ReadonlySet<string> = new Set(
  `size has string int double bool dyn type timestamp duration startsWith endsWith contains lowerAscii upperAscii trim indexOf
  lastIndexOf substring split join orValue or hasValue value getDate getDayOfMonth getDayOfWeek getDayOfYear getFullYear getHours
  getMilliseconds getMinutes getMonth getSeconds`.split(/\s+/),
);

const ARITHMETIC: Readonly<Record<string, (left: number, right: number) => number>> = {
  "+": (left, right) => left + right,
  "-": (left, right) => left - right,
  "*": (left, right) => left * right,
  "/": (left, right) => left / right,
  "%": (left, right) => left % right,
};

/** JSON knows one kind of number, so a number from a parameter or an output may meet a whole one written here. */
function createEnvironment(): Environment {
  const environment = new Environment({
    unlistedVariablesAreDyn: false,
    homogeneousAggregateLiterals: false,
    enableOptionalTypes: true,
    limits: { maxAstNodes: 256, maxDepth: 32, maxListElements: 100, maxMapEntries: 100, maxCallArguments: 8 },
  });
  for (const root of ROOTS) environment.registerVariable(root, "map<string, dyn>");
  environment.registerFunction("string(google.protobuf.Timestamp): string", (time: Date) => time.toISOString());
  environment.registerFunction("string(google.protobuf.Duration): string", (span: { toString(): string }) => span.toString());
  for (const [sign, apply] of Object.entries(ARITHMETIC)) {
    const handler = (left: number | bigint, right: number | bigint) => apply(Number(left), Number(right));
    environment.registerOperator(`double ${sign} int: double`, handler);
    environment.registerOperator(`int ${sign} double: double`, handler);
  }
  environment.registerOperator("double % double: double", (left: number, right: number) => left % right);
  return environment;
}

export const LANGUAGE = createEnvironment();
