import { describe, expect, it } from "vitest";
import { REFUSALS } from "@/server/domain/run/refusal";
import { bytesText, refusalWord, standingOf, vitalsOf } from "./vitals";

describe("what a worker says of itself (WRK-1)", () => {
  it("a worker that says nothing, or nonsense, has no vitals and breaks nothing", () => {
    const vitals = vitalsOf({ heartbeat: { load: "high", rssBytes: Number.NaN, diskUsed: null }, fingerprint: { cpu: 7, cores: 2 } });
    expect(vitals).toMatchObject({ load: null, rssBytes: null, diskUsed: null, cpu: null, cores: 2 });
  });

  it.each([
    [{ isLive: false, draining: true, refusing: null, active: 1 }, "gone"],
    [{ isLive: true, draining: true, refusing: "drain", active: 1 }, "draining"],
    [{ isLive: true, draining: false, refusing: "disk", active: 1 }, "refusing"],
    [{ isLive: true, draining: false, refusing: null, active: 1 }, "working"],
    [{ isLive: true, draining: false, refusing: null, active: 0 }, "idle"],
  ] as const)("%j is %s (WRK-3)", (worker, standing) => {
    expect(standingOf(worker)).toBe(standing);
  });

  it.each([
    [400, "0 kB"],
    [812_400_000, "812 MB"],
    [1_440_000_000, "1.4 GB"],
  ])("%d bytes read as %s", (bytes, text) => {
    expect(bytesText(bytes)).toBe(text);
  });

  it("every reason to take no new node has words of its own, and one that is not known is shown as it is said (WRK-3)", () => {
    expect(REFUSALS.map(refusalWord)).toEqual(["drain", "breaker", "clock", "disk", "memory"]);
    expect(["quota", "", null].map(refusalWord)).toEqual(["other", "other", "other"]);
  });
});
