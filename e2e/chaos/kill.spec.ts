import { expect, test } from "../fixtures/apollo";
import type { DemoService } from "../fixtures/demo-service";
import { isAlive } from "../fixtures/processes";
import type { Product } from "../fixtures/product";
import { nodeOf, type Rest, type Run } from "../fixtures/rest";
import { until } from "../fixtures/until";

const NAME = "one-effect";

/** Takes effect under its execution id, and works on; told that it had taken effect before, it is done. */
const EFFECT = `
  const headers = { "content-type": "application/json", "idempotency-key": process.env.APOLLO_EXECUTION_ID };
  const answer = await fetch(process.argv[1], { method: "POST", headers, body: "{}" });
  const { repeated } = await answer.json();
  if (!repeated) await new Promise((resolve) => setTimeout(resolve, 60_000));
  console.log(JSON.stringify({ repeated }));
`;

test.beforeAll(async ({ rest, demo }) => {
  const receiver = `${demo.url}/effects`;
  await rest.apply(NAME, {
    domain: "CHAOS",
    onFailure: "pause",
    nodes: [
      { key: "before", type: "handler", with: { task: "demo.work", input: { ms: 50, effectsUrl: receiver } } },
      {
        key: "effect",
        type: "command",
        needs: ["before"],
        with: { argv: ["node", "--input-type=module", "-e", EFFECT, receiver] },
        retry: { retries: 3, delays: ["500ms"] },
      },
      { key: "after", type: "http", needs: ["effect"], with: { method: "POST", url: receiver, body: "{{ nodes.effect.output }}" } },
    ],
  });
});

test.afterAll(async ({ demo }) => {
  await demo.reset();
});

/** A run whose effect has happened, and whose worker has not told anyone yet. */
async function runInsideItsEffect(rest: Rest, demo: DemoService): Promise<Run> {
  const id = await rest.trigger(NAME);
  const { executionId } = nodeOf(await rest.run(id), "effect");
  await until("the effect has happened", async () => (await demo.effectOf(executionId)).effects === 1, 60_000);
  return rest.run(id);
}

/** Kills outright what has these names, all before the first of them is replaced, and waits until each has been. */
async function killAll(product: Product, names: readonly string[]): Promise<void> {
  const before = product.pids();
  for (const name of names) process.kill(before[name] ?? Number.NaN, "SIGKILL");
  const isReplaced = (name: string) => {
    const now = product.pids()[name];
    return now !== undefined && now !== before[name] && isAlive(now);
  };
  await until(`${names.join(", ")} are started again`, () => names.every(isReplaced), 60_000);
}

/** Every node of the run has taken place, and each told the receiver once, as far as it honours the key. */
async function expectOneEffect(run: Run, demo: DemoService): Promise<void> {
  for (const key of ["before", "effect", "after"]) {
    const { executionId, attempts } = nodeOf(run, key);
    expect(new Set(attempts.map((attempt) => attempt.executionId)), `${key}: one execution, however often it is tried`).toEqual(
      new Set([executionId]),
    );
    expect((await demo.effectOf(executionId)).effects, `effects of ${key}`).toBe(1);
  }
  expect(nodeOf(run, "before").attempts, "a node that is done is not run again").toHaveLength(1);
}

test("a worker that is killed during a node is replaced, the node is dispatched again, and its effect is counted once (RUN-7, IDM-1, IDM-2, IDM-3)", async ({
  product,
  rest,
  demo,
}) => {
  const { id } = await runInsideItsEffect(rest, demo);
  await killAll(product, ["worker"]);

  const run = await rest.runIs(id, "SUCCESS");
  await expectOneEffect(run, demo);
  const { executionId, attempts } = nodeOf(run, "effect");
  expect(attempts.map(({ outcome }) => outcome)).toEqual(["lost", "succeeded"]);
  expect((await demo.effectOf(executionId)).calls, "the receiver was called by both attempts").toBe(2);
  expect(attempts[1]?.token, "with a higher fencing token").toBeGreaterThan(attempts[0]?.token ?? Number.NaN);
  const told = (await rest.events(id)).filter(({ node }) => node === "effect").map(({ event }) => event);
  expect(told, "the run's history").toContain("workerLost");
  expect(told.filter((event) => event === "claimed" || event === "handedOn")).toHaveLength(2);
});

test("a scheduler that is killed while a retry is due is replaced under a new epoch, and the retry comes (RUN-7, SCH-7, RTY-1)", async ({
  product,
  rest,
  demo,
}) => {
  await demo.set("/step/flaky", { down: true, latencyMs: 0 });
  await rest.apply("flaky", {
    domain: "CHAOS",
    nodes: [
      {
        key: "call",
        type: "http",
        with: { method: "POST", url: `${demo.url}/step/flaky` },
        retry: { retries: 2, delays: ["2s"], jitter: [0, 0] },
      },
    ],
  });
  const epochBefore = await epoch(product);
  const id = await rest.trigger("flaky");
  await rest.runOnce(id, "waits for its retry", (run) => nodeOf(run, "call").state === "RETRYING");
  await killAll(product, ["scheduler"]);
  await demo.set("/step/flaky", { down: false });

  const run = await rest.runIs(id, "SUCCESS");
  expect(nodeOf(run, "call").attempts.at(-1)?.outcome).toBe("succeeded");
  await until("a leader of a new epoch", async () => (await epoch(product)) > epochBefore, 30_000);
});

test("worker, scheduler and database killed together come up again, the run goes on from where it was, and its effect is counted once (RUN-7, IDM-2, SCH-7)", async ({
  product,
  rest,
  demo,
}) => {
  const { id } = await runInsideItsEffect(rest, demo);
  await killAll(product, ["postmaster", "worker", "scheduler"]);

  const run = await rest.runIs(id, "SUCCESS", 90_000);
  await expectOneEffect(run, demo);
  const told = (await rest.events(id)).map(({ event, node }) => `${event} ${node ?? ""}`.trim());
  expect(told).toContain("workerLost effect");
  expect(
    told.filter((each) => each === "succeeded before"),
    "what is counted is counted once",
  ).toHaveLength(1);
  expect(told.at(-1)).toBe("run.success");
});

/** The leader's fencing token; 0 while nobody leads or the web cannot tell. */
async function epoch(product: Product): Promise<number> {
  const answer = await fetch(`${product.url}/api/health`).catch(() => null);
  const health = (await answer?.json().catch(() => null)) as { leader: { epoch: number } | null } | null;
  return Number(health?.leader?.epoch ?? 0);
}
