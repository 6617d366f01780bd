import { describe, expect, it } from "vitest";
import { node } from "@/db/testing/plans";
import { nodeSchema } from "@/server/domain/pipeline/definition";
import type { ClaimedNode } from "@/server/domain/run/work";
import { resolveInputs } from "./inputs";

const AT = new Date("2026-03-01T00:00:00Z");

const claimedOf = (more: Partial<ClaimedNode>): ClaimedNode => ({
  runId: "r",
  projectId: "p",
  pipelineId: "l",
  pipelineName: "orders",
  versionId: "v",
  key: "a",
  generation: 1,
  attemptNo: 1,
  executionId: "x",
  token: 1,
  group: "default",
  node: nodeSchema.parse(node("a", ["b"], { with: { task: "t.t", input: { of: "{{ nodes.b.output }}" } } })),
  domain: "TEST",
  params: {},
  outputs: {},
  run: { id: "r", scheduledAt: null, trigger: "manual" },
  businessKeys: {},
  traceId: "t",
  spanId: "s",
  timeoutAt: AT,
  queuedAt: AT,
  dispatchedAt: AT,
  maybeRepeated: false,
  hops: 0,
  stayedSince: AT,
  storedResult: null,
  ...more,
});

describe("inputs", () => {
  it("whose outputs were too large to load fail the node for good and tell both sizes (B82)", async () => {
    const inputs = await resolveInputs(claimedOf({ inputTooLarge: { bytes: 4_500_010, limit: 4_000_000 } }), async () => ({}));
    expect(inputs).toMatchObject({ kind: "refused", fault: { code: "APOLLO_INPUT_TOO_LARGE_413", retryable: false } });
    expect(inputs.kind === "refused" ? inputs.fault.message : "").toMatch(/4500010 bytes.*at most 4000000/);
  });
});
