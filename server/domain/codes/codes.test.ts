import { describe, expect, test } from "vitest";
import { codesInText } from "./codes-in-text";
import { codeConstants } from "./constants";
import { type Approver, decideApproval, type ProposalFacts } from "./decide-approval";
import { codeFactsSchema, errorCodeSchema } from "./definition";
import { nearCodes } from "./near-codes";

const proposal: ProposalFacts = { state: "proposed", revision: 2, proposerId: "ann", approvedBy: ["bo"], needed: 3 };
const by = (more: Partial<Approver> = {}): Approver => ({ id: "cy", isPerson: true, revision: 2, ...more });

test.each<[string, Partial<ProposalFacts>, Partial<Approver>, object]>([
  ["one of three", {}, {}, { kind: "approved", registers: false, left: 1 }],
  ["the last of three", { approvedBy: ["bo", "di"] }, {}, { kind: "approved", registers: true, left: 0 }],
  ["more than are needed by now", { approvedBy: ["bo", "di"], needed: 1 }, {}, { kind: "approved", registers: true }],
  ["one's own", {}, { id: "ann" }, { kind: "refused", why: "own" }],
  ["twice", {}, { id: "bo" }, { kind: "refused", why: "twice" }],
  ["by a machine", {}, { isPerson: false }, { kind: "refused", why: "no_person" }],
  ["another wording than was read", {}, { revision: 1 }, { kind: "refused", why: "changed" }],
  ["what is registered", { state: "registered" }, {}, { kind: "refused", why: "not_proposed" }],
  ["what is deprecated", { state: "deprecated" }, {}, { kind: "refused", why: "not_proposed" }],
])("an approval of %s is decided as %o by %o: %o (EXC-9)", (_, facts, approver, decision) => {
  expect(decideApproval({ ...proposal, ...facts }, by(approver))).toMatchObject(decision);
});

describe("near duplicates (EXC-9)", () => {
  const known = ["ORDER_INVENTORY_SHORTAGE_409", "ORDER_API_TIMEOUT_504", "PAYMENT_CARD_REFUSED_402"];
  test.each([
    ["ORDER_INVENTORY_SHORTAGES_409", [{ code: "ORDER_INVENTORY_SHORTAGE_409", why: "spelling" }]],
    ["ORDER_INVENTORY_SHORTAGE_404", [{ code: "ORDER_INVENTORY_SHORTAGE_409", why: "spelling" }]],
    ["ORDER_WAREHOUSE_SHORTAGE_410", [{ code: "ORDER_INVENTORY_SHORTAGE_409", why: "status" }]],
    ["ORDER_WAREHOUSE_TIMEOUT_504", []],
    ["SHIPPING_CARD_REFUSED_403", []],
    ["ORDER_INVENTORY_SHORTAGE_409", []],
  ])("of %s are %o", (code, near) => {
    expect(nearCodes(code, known)).toEqual(near);
  });
});

test("what is exported can be read back as a module, with what TaskError takes (EXC-9)", () => {
  const text = codeConstants("demo", [
    { code: "ORDER_STOCK_SHORTAGE_409", title: 'Out of "stock"', grade: "P2" },
    { code: "ORDER_API_DOWN_503", title: "Down", grade: "P1" },
  ]);
  const CODES = new Function(`${text.replace("export const CODES =", "return").replace(/ as const;[\s\S]*/, "")}`)() as object;
  expect(Object.keys(CODES)).toEqual(["ORDER_API_DOWN_503", "ORDER_STOCK_SHORTAGE_409"]);
  expect(CODES).toMatchObject({ ORDER_STOCK_SHORTAGE_409: { status: "ORDER_STOCK_SHORTAGE", number: 409, title: 'Out of "stock"' } });
  expect(codeConstants("demo", [])).toContain("CODES = {} as const");
});

test("codes are found in a source text with the line where they stand first (EXC-9)", () => {
  const text = 'a\nthrow fail("ORDER_STOCK_SHORTAGE_409")\n// ORDER_STOCK_SHORTAGE_409 XORDER_A_B_1_C order_x_y_1 MAX_1';
  expect(codesInText(text)).toEqual([{ code: "ORDER_STOCK_SHORTAGE_409", line: 2 }]);
});

test("a register entry needs both languages, an impact and an SLA, and a retry policy that can be kept (EXC-9)", () => {
  const facts = {
    ...{ titleEn: "t", titleZh: "标题", meaningEn: "m", meaningZh: "含义", owner: "team", grade: "P2", impact: "i", slaMinutes: 30 },
  };
  expect(codeFactsSchema.safeParse(facts).success).toBe(true);
  for (const left of Object.keys(facts)) expect(codeFactsSchema.safeParse({ ...facts, [left]: undefined }).success, left).toBe(false);
  expect(codeFactsSchema.safeParse({ ...facts, retry: { baseMs: 100, jitterMs: 0, capMs: 50 } }).success).toBe(false);
  expect(errorCodeSchema.safeParse("order_1").success).toBe(false);
});
