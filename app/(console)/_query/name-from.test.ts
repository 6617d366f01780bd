import { describe, expect, it } from "vitest";
import { pipelineNameSchema } from "@/server/domain/pipeline/definition";
import { nameFrom } from "./name-from";

describe("the name that is proposed from a title", () => {
  it.each([
    ["Nightly orders", "nightly-orders"],
    ["  Café → Zürich!  ", "cafe-zurich"],
    ["订单同步", ""],
    ["订单 sync 2", "sync-2"],
    ["x".repeat(80), "x".repeat(64)],
  ])("%j gives %j", (title, name) => {
    expect(nameFrom(title)).toBe(name);
    if (name !== "") expect(pipelineNameSchema.safeParse(name).success).toBe(true);
  });
});
