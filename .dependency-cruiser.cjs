/**
 * Which way imports may go: app → server/api → server/engine → db, workers → server/engine, everyone → server/domain.
 * Every rule is an error, type-only imports count, and each comment says where the code belongs instead.
 */
const rule = (name, comment, from, to) => ({ name, comment, severity: "error", from, to });

const PURE_PACKAGES = ["zod", "croner", "cronstrue", "temporal-polyfill", "@marcbachmann/cel-js", "yaml", "fastest-levenshtein"];
const TEST_FILES = "(\\.test\\.(tsx?|mjs)$|^e2e/|^db/testing/)";

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    rule(
      "no-circular",
      "Two files that need each other hold one idea or hide a third: merge them, or move what both need into a file of its own noun.",
      {},
      { circular: true },
    ),
    rule(
      "not-unresolvable",
      "The import leads nowhere: correct the path, or install the package and pin it in package.json.",
      {},
      { couldNotResolve: true },
    ),
    rule(
      "domain-is-pure",
      `server/domain decides from plain data: take clock, ids, random and rows as arguments; I/O belongs in server/engine. Packages allowed: ${PURE_PACKAGES.join(", ")}.`,
      { path: "^server/domain/", pathNot: "\\.test\\.ts$" },
      { pathNot: ["^server/domain/", `node_modules/(${PURE_PACKAGES.join("|")})(/|$)`] },
    ),
    rule(
      "db-is-the-ground",
      "db knows Postgres and nothing above it: a rule belongs in server/domain, a deed in server/engine, which imports db and not the other way.",
      { path: "^db/", pathNot: "^db/(testing|seed)/" },
      { path: "^(app|workers|server/(api|engine|adapters)|e2e)/|^server/(runtime|env)\\.ts$" },
    ),
    rule(
      "engine-below-api",
      "A verb knows no screen, transport or plug: declare a port in server/engine/ports.ts and let server/runtime.ts wire the adapter; settings and environment come in by ctx.",
      { path: "^server/engine/", pathNot: "\\.test\\.ts$" },
      {
        path: [
          "^(app|workers|server/(api|adapters))/",
          "^server/(runtime|env)\\.ts$",
          "node_modules/(next|react|@trpc|bullmq|ioredis|server-only)(/|$)",
        ],
      },
    ),
    rule(
      "adapters-by-runtime-only",
      "Plugs meet ports in server/runtime.ts alone: depend on the port's type in server/engine/ports.ts and take the plug from the Runtime.",
      { pathNot: ["^server/adapters/", "^server/runtime\\.ts$", TEST_FILES] },
      { path: "^server/adapters/" },
    ),
    rule(
      "api-is-thin",
      "A procedure translates and calls one verb: SQL belongs in db/statements, the transaction in server/engine, the rule in server/domain.",
      { path: "^server/api/", pathNot: "\\.test\\.ts$" },
      { path: ["^(app|db|workers)/", "node_modules/drizzle-orm(/|$)"] },
    ),
    rule(
      "app-by-the-front-door",
      "A screen asks through tRPC or a server caller from server/api; a pure rule that it needs belongs in server/domain.",
      { path: "^app/", pathNot: "\\.test\\.tsx?$" },
      { path: ["^(db|workers|server/(engine|adapters))/", "^server/(runtime|env)\\.ts$"] },
    ),
    rule(
      "workers-not-api",
      "A worker calls verbs of server/engine directly; what both the API and a worker need is a verb or a domain rule.",
      { path: "^workers/", pathNot: "\\.test\\.ts$" },
      { path: "^(app|server/api)/" },
    ),
    rule(
      "workers-not-db",
      "A worker waits, ticks and spawns: the statement belongs behind a verb in server/engine.",
      { path: "^workers/", pathNot: "\\.test\\.ts$" },
      { path: "^db/" },
    ),
    rule(
      "sdk-is-light",
      "workers/sdk is what a task author imports: it may use server/domain only; put the machinery into workers/runner.",
      { path: "^workers/sdk/", pathNot: "\\.test\\.ts$" },
      { path: "^(server/(api|engine|adapters)/|server/(runtime|env)\\.ts$|db/|app/|workers/(?!sdk/))" },
    ),
    rule(
      "one-writer-of-state",
      "Only server/engine/runs writes the state of a run or a node: call its verb (fire, claim, settle, cancel, …) instead of the statement.",
      { pathNot: ["^server/engine/runs/", "^db/statements/state/", TEST_FILES] },
      { path: "^db/statements/state/" },
    ),
    rule(
      "room-internals-stay-in",
      "internal.ts serves one noun of server/engine: call that noun's verb, or move what both need into server/domain.",
      { path: "^server/engine/([^/]+)/" },
      { path: "^server/engine/[^/]+/internal\\.ts$", pathNot: "^server/engine/$1/" },
    ),
    rule(
      "route-private-stays-in",
      "An underscore folder is private to its area: a pure part that two areas need belongs in server/domain, a look in app/_ui.",
      { path: "^app/\\(console\\)/([^/]+)/" },
      { path: "^app/\\(console\\)/.+/_[^/]+/", pathNot: "^app/\\(console\\)/$1/" },
    ),
    rule(
      "ui-is-props-only",
      "app/_ui gets props and gives markup: fetch in the page, hand the result down; words and looks come from _words and _status by props.",
      { path: "^app/_ui/", pathNot: "\\.test\\.tsx?$" },
      { path: "^(app/(?!_ui/)|server/(api|engine|adapters)/|db/)" },
    ),
    rule(
      "not-to-test",
      "Product code does not import tests or their fixtures: move what both need into the product, beside its noun.",
      { pathNot: TEST_FILES },
      { path: TEST_FILES },
    ),
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    doNotFollow: { path: "node_modules" },
    exclude: { path: "^(\\.next|dist|\\.data|\\.cache|e2e/bench/peers)/" },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "types", "default"] },
  },
};
