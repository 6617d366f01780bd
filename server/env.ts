import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import { z } from "zod";
import { DomainError, type InputIssue } from "@/server/domain/failure";

const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;

interface Variable<T> {
  /** What stands in the table of docs/configuration.md when the variable is not set. */
  readonly fallback: string;
  readonly schema: z.ZodType<T>;
  /** Values that may hold a password are named in an error, never printed. */
  readonly secret?: true;
}

const variable = <T>(fallback: string, schema: z.ZodType<T>, options: { secret?: true } = {}): Variable<T> => ({
  fallback,
  schema,
  ...options,
});

function url(protocols: readonly string[], example: string) {
  return z.string().refine((text) => URL.canParse(text) && protocols.includes(new URL(text).protocol), {
    error: `not a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(" or ")}; write for example ${example}`,
  });
}

const wholeNumber = (least: number, most: number, example: number) =>
  z
    .string()
    .refine((text) => /^\d{1,9}$/.test(text) && Number(text) >= least && Number(text) <= most, {
      error: `not a whole number from ${least} to ${most}; write for example ${example}`,
    })
    .transform(Number);

const path = z.string().refine((text) => !text.includes("\0"), { error: "holds a NUL byte; write a path" });

const name = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, {
  error: "not a name; use 1 to 64 letters, digits, dots, - and _, starting with a letter or digit",
});

const groups = z
  .string()
  .transform((text) => [...new Set(text.split(",").map((group) => group.trim()))])
  .refine((list) => list.every((group) => /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/.test(group)), {
    error: "not a list of groups; write names of a-z, 0-9 and - with commas between, for example default,warehouse",
  });

const onOff = z.enum(["on", "off"], { error: "neither on nor off; write on or off" }).transform((word) => word === "on");

const ENV_VARIABLES = {
  DATABASE_URL: variable(
    "embedded PostgreSQL",
    url(["postgres:", "postgresql:"], "postgres://apollo:password@db.internal:5432/apollo").optional(),
    { secret: true },
  ),
  REDIS_URL: variable("queue in PostgreSQL", url(["redis:", "rediss:"], "redis://cache.internal:6379").optional(), { secret: true }),
  PORT: variable("3000", wholeNumber(1, 65_535, 3000).default(3000)),
  HOST: variable(
    "127.0.0.1",
    z
      .string()
      .regex(/^[A-Za-z0-9.:-]+$/, { error: "not an address; write for example 0.0.0.0" })
      .default("127.0.0.1"),
  ),
  APOLLO_DATA_DIR: variable("./.data", path.default("./.data")),
  APOLLO_BASE_URL: variable("http://127.0.0.1:PORT", url(["http:", "https:"], "https://apollo.example.org").optional()),
  APOLLO_SECRET_KEY_FILE: variable("secret.key in the data folder", path.optional()),
  APOLLO_LOG_LEVEL: variable("info", z.enum(LOG_LEVELS, { error: `not a level; write one of ${LOG_LEVELS.join(", ")}` }).default("info")),
  APOLLO_WORKER_ID: variable("made from the host's name", name.optional()),
  APOLLO_WORKER_GROUPS: variable("default", groups.default(["default"])),
  APOLLO_WORKER_SLOTS: variable("4 × cores", wholeNumber(1, 1_000, 8).default(4 * availableParallelism())),
  APOLLO_DRAIN_SECONDS: variable("30", wholeNumber(0, 3_600, 30).default(30)),
  APOLLO_HANDLERS_DIR: variable("./handlers", path.default("./handlers")),
  APOLLO_DEMO: variable("on", onOff.default(true)),
  APOLLO_DEMO_PORT: variable("a free port, kept in the data folder", wholeNumber(1, 65_535, 4011).optional()),
  APOLLO_SMTP_URL: variable("no mail is sent", url(["smtp:", "smtps:"], "smtps://apollo:password@mail.example.org:465").optional(), {
    secret: true,
  }),
  APOLLO_MAIL_FROM: variable("apollo-11@localhost", z.string().max(254).default("apollo-11@localhost")),
  APOLLO_SIGN_INS_PER_MINUTE: variable("10", wholeNumber(1, 100_000, 10).default(10)),
  APOLLO_TRUSTED_PROXIES: variable("0", wholeNumber(0, 10, 1).default(0)),
  APOLLO_BOOT_ID: variable("set by the supervisor", name.optional()),
} as const;

export type EnvName = keyof typeof ENV_VARIABLES;
type Parsed = { [Name in EnvName]: z.output<(typeof ENV_VARIABLES)[Name]["schema"]> };
type Source = Readonly<Record<string, string | undefined>>;

/** The settings of one process, parsed once; everything else is a setting in the database. */
export interface Env {
  readonly databaseUrl: string | undefined;
  readonly redisUrl: string | undefined;
  readonly port: number;
  readonly host: string;
  /** Absolute. */
  readonly dataDir: string;
  /** What a person's browser opens, without a slash at the end. */
  readonly baseUrl: string;
  readonly secretKeyFile: string;
  readonly logLevel: (typeof LOG_LEVELS)[number];
  readonly workerId: string | undefined;
  readonly workerGroups: readonly string[];
  readonly workerSlots: number;
  readonly drainSeconds: number;
  readonly handlersDir: string;
  readonly demo: boolean;
  readonly demoPort: number | undefined;
  /** The mail server that alerts go by. */
  readonly smtpUrl: string | undefined;
  readonly mailFrom: string;
  /** Of one address; more are refused with 429. */
  readonly signInsPerMinute: number;
  /** Proxies before the web process, each of which appends to `x-forwarded-for`. */
  readonly trustedProxies: number;
  /** Nonce of this start, by which the supervisor knows its own web from one left over. */
  readonly bootId: string | undefined;
}

/** Every variable with what holds when it is not set, in the order of docs/configuration.md. */
export function envVariables(): readonly { name: EnvName; fallback: string }[] {
  return (Object.keys(ENV_VARIABLES) as EnvName[]).map((key) => ({ name: key, fallback: ENV_VARIABLES[key].fallback }));
}

/** Parses an environment; throws one `DomainError` that names every wrong variable, its problem and what to write. */
export function parseEnv(source: Source): Env {
  const issues: InputIssue[] = [];
  const parsed: Record<string, unknown> = {};
  for (const { name: key } of envVariables()) {
    const { schema, secret } = ENV_VARIABLES[key] as Variable<unknown>;
    const text = source[key]?.trim() || undefined;
    const outcome = schema.safeParse(text);
    if (outcome.success) parsed[key] = outcome.data;
    else issues.push(issueOf(key, secret ? "its value" : JSON.stringify(text), outcome.error));
  }
  if (issues.length > 0) {
    throw new DomainError("invalid_input", issues.map((issue) => issue.message).join("\n"), { issues });
  }
  return shape(parsed as Parsed);
}

let own: Env | undefined;

/** The environment of this process, parsed at the first call. */
export function readEnv(): Env {
  own ??= parseEnv(process.env);
  return own;
}

/** What a command or a child may see of this process: where programs are and how text is written, no secret of ours. */
export function inheritedEnvironment(): Record<string, string> {
  const kept = ["PATH", "HOME", "USER", "SHELL", "LANG", "LC_ALL", "TZ", "TMPDIR", "TEMP", "TMP", "SystemRoot", "ComSpec", "PATHEXT"];
  return Object.fromEntries(kept.flatMap((key) => (process.env[key] === undefined ? [] : [[key, process.env[key]]])));
}

function issueOf(key: EnvName, shown: string, error: z.ZodError): InputIssue {
  const problem = error.issues[0]?.message ?? "not a value that this variable takes";
  return { path: key, code: "environment", message: `${key}: ${shown} is ${problem}` };
}

function shape(parsed: Parsed): Env {
  const dataDir = resolve(parsed.APOLLO_DATA_DIR);
  return {
    databaseUrl: parsed.DATABASE_URL,
    redisUrl: parsed.REDIS_URL,
    port: parsed.PORT,
    host: parsed.HOST,
    dataDir,
    baseUrl: (parsed.APOLLO_BASE_URL ?? `http://${reachable(parsed.HOST)}:${parsed.PORT}`).replace(/\/+$/, ""),
    secretKeyFile: parsed.APOLLO_SECRET_KEY_FILE ? resolve(parsed.APOLLO_SECRET_KEY_FILE) : join(dataDir, "secret.key"),
    logLevel: parsed.APOLLO_LOG_LEVEL,
    workerId: parsed.APOLLO_WORKER_ID,
    workerGroups: parsed.APOLLO_WORKER_GROUPS,
    workerSlots: parsed.APOLLO_WORKER_SLOTS,
    drainSeconds: parsed.APOLLO_DRAIN_SECONDS,
    handlersDir: resolve(parsed.APOLLO_HANDLERS_DIR),
    demo: parsed.APOLLO_DEMO,
    demoPort: parsed.APOLLO_DEMO_PORT,
    smtpUrl: parsed.APOLLO_SMTP_URL,
    mailFrom: parsed.APOLLO_MAIL_FROM,
    signInsPerMinute: parsed.APOLLO_SIGN_INS_PER_MINUTE,
    trustedProxies: parsed.APOLLO_TRUSTED_PROXIES,
    bootId: parsed.APOLLO_BOOT_ID,
  };
}

/** An address to listen on everywhere is none to open. */
function reachable(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}
