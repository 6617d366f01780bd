import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { DomainError } from "@/server/domain/failure";
import { envVariables, inheritedEnvironment, parseEnv } from "@/server/env";

function refusal(source: Record<string, string>): DomainError {
  try {
    parseEnv(source);
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
  throw new Error("was accepted");
}

describe("environment", () => {
  it("needs nothing set: one machine, loopback, embedded Postgres (ECO-3)", () => {
    const env = parseEnv({});
    expect(env).toMatchObject({ databaseUrl: undefined, redisUrl: undefined, port: 3000, host: "127.0.0.1", demo: true });
    expect(env.baseUrl).toBe("http://127.0.0.1:3000");
    expect(env.secretKeyFile).toBe(`${env.dataDir}/secret.key`);
    expect(env.workerGroups).toEqual(["default"]);
  });

  it("takes an empty value for one that is not set", () => {
    expect(parseEnv({ PORT: "", DATABASE_URL: " " })).toMatchObject({ port: 3000, databaseUrl: undefined });
  });

  it.each([
    ["PORT", "http", 'PORT: "http" is not a whole number from 1 to 65535; write for example 3000'],
    ["PORT", "0", "from 1 to 65535"],
    ["PORT", "70000", "from 1 to 65535"],
    ["DATABASE_URL", "mysql://root:hunter2@db", "write for example postgres://"],
    ["REDIS_URL", "localhost:6379", "write for example redis://"],
    ["APOLLO_LOG_LEVEL", "loud", "write one of fatal, error, warn"],
    ["APOLLO_WORKER_GROUPS", "default,,Ware House", "for example default,warehouse"],
    ["APOLLO_WORKER_SLOTS", "-1", "from 1 to 1000"],
    ["APOLLO_DEMO", "yes", "write on or off"],
    ["APOLLO_BASE_URL", "apollo.example.org", "write for example https://"],
  ])("names %s=%s, its problem and what to write", (name, value, hint) => {
    const error = refusal({ [name]: value });
    expect(error.message).toContain(`${name}: `);
    expect(error.message).toContain(hint);
    expect(error.issues.map((issue) => issue.path)).toEqual([name]);
  });

  it("never prints a URL that may hold a password (SEC-1)", () => {
    expect(refusal({ DATABASE_URL: "mysql://root:hunter2@db" }).message).not.toContain("hunter2");
  });

  it("names every wrong variable at once", () => {
    expect(refusal({ PORT: "x", APOLLO_DEMO: "y" }).issues).toHaveLength(2);
  });

  it("hands a child programs and language, and none of the secrets", () => {
    const seen = inheritedEnvironment();
    expect(seen).toHaveProperty("PATH");
    expect(Object.keys(seen).filter((key) => key.startsWith("APOLLO_") || key.endsWith("_URL"))).toEqual([]);
  });

  it("is documented: every variable and its default stand in docs/configuration.md", () => {
    const guide = readFileSync("docs/configuration.md", "utf8");
    const rows = new Map([...guide.matchAll(/^\| `(\w+)` \| ([^|]+) \|/gm)].map((match) => [match[1], match[2]?.trim()]));
    expect(rows).toEqual(new Map(envVariables().map(({ name, fallback }) => [name, fallback])));
  });
});
