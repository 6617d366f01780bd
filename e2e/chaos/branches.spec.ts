import { expect, test } from "../fixtures/apollo";
import type { DemoService } from "../fixtures/demo-service";
import { nodeOf, type Run, stateOf } from "../fixtures/rest";

const PIPELINE = "warehouse-refresh";
const ORDERS = [
  "pull_orders",
  "check_orders",
  "dedupe_orders",
  "enrich_orders",
  "price_orders",
  "stage_orders",
  "load_orders",
  "verify_orders",
];
const STOCK = ["check_stock", "reconcile_stock", "value_stock", "stage_stock", "load_stock"];

test.afterEach(async ({ demo }) => {
  await demo.reset();
});

/** Of each node: its attempts, and how often the receiver was called with its key. */
async function tally(run: Run, demo: DemoService, keys: readonly string[]): Promise<Record<string, { attempts: number; calls: number }>> {
  const counted = keys.map(async (key) => {
    const node = nodeOf(run, key);
    return [key, { attempts: node.attempts.length, calls: (await demo.effectOf(node.executionId)).calls }] as const;
  });
  return Object.fromEntries(await Promise.all(counted));
}

test("of 17 nodes one branch fails for good while the other runs on, the run pauses, and a retry after the repair ends it without running a finished node again (RUN-2, RUN-3, RUN-7, IDM-2)", async ({
  rest,
  demo,
}) => {
  await demo.set("/step/stock", { down: true });
  const id = await rest.trigger(PIPELINE, { pace: 100 });
  const paused = await rest.runIs(id, "PAUSED");
  expect(paused.nodes).toHaveLength(17);
  expect(stateOf(paused, "pull_stock")).toBe("FAILED");
  expect(nodeOf(paused, "pull_stock").error?.code).toMatch(/^WAREHOUSE_STOCK_\w+_503$/);
  expect(nodeOf(paused, "pull_stock").attempts, "its one retry is used up").toHaveLength(2);
  for (const key of ["begin", ...ORDERS]) expect(stateOf(paused, key), key).toBe("SUCCESS");
  for (const key of [...STOCK, "publish", "report"]) expect(stateOf(paused, key), key).toBe("PENDING");
  const finished = ["begin", ...ORDERS];
  const before = await tally(paused, demo, finished);

  await demo.set("/step/stock", { down: false });
  await rest.retry(id, "pull_stock", "the stock service is repaired");
  const done = await rest.runIs(id, "SUCCESS");
  for (const { key, state } of done.nodes) expect(state, key).toBe("SUCCESS");
  expect(await tally(done, demo, finished), "what was finished before").toEqual(before);
  for (const key of [...STOCK, "publish", "report"]) expect(nodeOf(done, key).attempts, key).toHaveLength(1);
  const stock = nodeOf(done, "pull_stock");
  expect(stock.executionId, "a retry of what has not succeeded keeps its execution").toBe(nodeOf(paused, "pull_stock").executionId);
  expect((await demo.effectOf(stock.executionId)).effects).toBe(1);
  const events = await rest.events(id);
  expect(events.find(({ event }) => event === "retryRequested")).toMatchObject({ node: "pull_stock", actor: { kind: "token" } });
});

test("a run whose failed branch is not repaired stays paused after a retry, and can be cancelled (RUN-2, RUN-3)", async ({
  rest,
  demo,
}) => {
  await demo.set("/step/stock", { down: true });
  const id = await rest.trigger(PIPELINE, { pace: 20 });
  const paused = await rest.runIs(id, "PAUSED");
  await rest.retry(id, "pull_stock", "perhaps it is back");
  const again = await rest.runOnce(
    id,
    "is paused again",
    (run) => run.state === "PAUSED" && nodeOf(run, "pull_stock").attempts.length > nodeOf(paused, "pull_stock").attempts.length,
  );
  expect(stateOf(again, "pull_stock")).toBe("FAILED");
  await rest.call("POST", `/runs/${id}/cancel`, { reason: "the stock service stays away today" });
  const over = await rest.runIs(id, "CANCELED");
  expect(stateOf(over, "verify_orders"), "what is done stays done").toBe("SUCCESS");
  expect(stateOf(over, "publish")).toBe("CANCELED");
});
