import { expect, it } from "vitest";
import { isFiltered, NO_FILTERS, readSight, sightAddress } from "./audit-filters";

it("the address of a sight leads back to it, and what nobody knows is passed over (AUD-2)", () => {
  const sight = { actor: "u1", noun: "run", object: { kind: "run", id: "r1", label: "orders" }, from: "2026-03-01", to: null } as const;
  const address: Record<string, string | null> = sightAddress(sight);
  expect(readSight((name) => address[name] ?? "")).toEqual(sight);
  expect(readSight((name) => ({ noun: "everything", from: "last week", kind: "run" })[name] ?? "")).toEqual(NO_FILTERS);
  expect(isFiltered(NO_FILTERS)).toBe(false);
});
