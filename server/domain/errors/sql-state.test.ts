import { describe, expect, it } from "vitest";
import { readSqlState } from "./sql-state";

/** As postgres.js names it. */
const thrown = (code: string) => Object.assign(new Error("refused"), { name: "PostgresError", code });
/** As pg gives it. */
const severe = (code: string) => Object.assign(new Error("refused"), { severity: "ERROR", code });
const said = (error: unknown) => {
  const fault = readSqlState(error);
  return fault ? `${fault.status}_${fault.number}` : null;
};

describe("a database's own error is known by its state", () => {
  it.each([
    ["a deadlock", "40P01", "DEADLOCK_409"],
    ["a conflict of transactions", "40001", "SERIALIZATION_409"],
    ["a lock that was not to be had", "55P03", "LOCK_423"],
    ["a statement that was out of time", "57014", "TIMEOUT_504"],
    ["a server that stops", "57P01", "CONNECT_503"],
    ["a lost connection", "08006", "CONNECT_503"],
    ["too many connections", "53300", "CAPACITY_503"],
    ["a row that is there", "23505", "DUPLICATE_409"],
    ["a row that may not be", "23502", "INVALID_422"],
    ["a value that is none", "22P02", "INVALID_422"],
    ["a statement that is wrong", "42601", "STATEMENT_500"],
    ["what says no more than that it failed", "XX000", null],
  ])("%s, %s (EXC-1)", (_, state, expected) => {
    expect([said(thrown(state)), said(severe(state))]).toEqual([expected, expected]);
  });

  it("also where another error was made of it (EXC-1)", () => {
    expect(said(new Error("could not book", { cause: severe("40P01") }))).toBe("DEADLOCK_409");
  });

  it("a code of the system that looks alike is none (EXC-1)", () => {
    expect(said(Object.assign(new Error("write EPIPE"), { code: "EPIPE" }))).toBeNull();
    expect(said("40P01")).toBeNull();
  });

  it("causes that lead back to themselves end (EXC-1)", () => {
    const circle = new Error("a");
    circle.cause = circle;
    expect(said(circle)).toBeNull();
  });
});
