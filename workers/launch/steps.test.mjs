import { describe, expect, it } from "vitest";
import { runProgram } from "./steps.mjs";

const node = (script, options) => runProgram(process.execPath, ["-e", script], options);

describe("a program that a step runs", () => {
  it("gives its exit code and all that it said", async () => {
    const { code, output } = await node("console.log('out'); console.error('err'); process.exit(3)");
    expect(code).toBe(3);
    expect(output).toContain("out");
    expect(output).toContain("err");
  });

  it("is ended at its time limit, and that is no success", async () => {
    const { code, signal } = await node("setInterval(() => {}, 1000)", { limitMs: 200 });
    expect({ code, signal }).toEqual({ code: 128, signal: "SIGKILL" });
  });

  it("does not hold us by a grandchild that keeps its pipes", async () => {
    const script = "require('child_process').spawn('sleep', ['8'], { stdio: 'inherit', detached: true }).unref(); process.exit(0)";
    const startedMs = performance.now();
    const { code } = await node(script);
    expect(code).toBe(0);
    expect(performance.now() - startedMs).toBeLessThan(7_500);
  });

  it("that does not exist is a failure with its name", async () => {
    const { code, output } = await runProgram("apollo-no-such-program", []);
    expect(code).toBe(127);
    expect(output).toContain("apollo-no-such-program");
  });
});
