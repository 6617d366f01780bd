import type { PipelineDefinitionInput } from "@/server/domain/pipeline/definition";

export type Spec = PipelineDefinitionInput["spec"];
export type NodeSpec = NonNullable<Spec["nodes"]>[number];

/** A lost worker costs an attempt: enough of them that no fault of a row uses them up. */
const RETRY = { retries: 8, delays: ["300ms"] };

export const httpNode = (url: string, key: string, needs: readonly string[] = [], query = ""): NodeSpec => ({
  key,
  type: "http",
  needs: [...needs],
  with: { method: "POST", url: `${url}/effect${query}` },
  retry: RETRY,
});

export const effectNode = (url: string, key: string, needs: readonly string[] = [], ms = 0): NodeSpec => ({
  key,
  type: "handler",
  needs: [...needs],
  with: { task: "chaos.effect", input: { url: `${url}/effect`, ms } },
  retry: RETRY,
});

export const stepNode = (key: string, needs: readonly string[] = [], ms = 0): NodeSpec => ({
  key,
  type: "handler",
  needs: [...needs],
  with: { task: "chaos.step", input: { ms } },
  retry: RETRY,
});

/** Takes effect from a process of its own, tells the receiver its pid, and goes on for a while. */
const COMMAND = `
  const { APOLLO_EXECUTION_ID: key, APOLLO_RUN_ID: run, APOLLO_NODE: node, APOLLO_ATTEMPT: attempt, APOLLO_TOKEN: token } = process.env;
  const headers = { "idempotency-key": key, "x-apollo-run": run, "x-apollo-node": node, "x-apollo-attempt": attempt, "x-apollo-token": token, "x-pid": String(process.pid) };
  const { repeated } = await (await fetch(process.argv[1], { method: "POST", headers })).json();
  if (!repeated) await new Promise((resolve) => setTimeout(resolve, Number(process.argv[2])));
  console.log(JSON.stringify({ repeated }));
`;

export const commandNode = (url: string, key: string, needs: readonly string[] = [], ms = 0): NodeSpec => ({
  key,
  type: "command",
  needs: [...needs],
  with: { argv: ["node", "--input-type=module", "-e", COMMAND, `${url}/effect`, String(ms)] },
  retry: RETRY,
});

export const POISONS = ["exit", "segfault", "forks", "closed", "flood", "memory"] as const;

/** A step that harms what runs it; the one that eats memory is for the worker that has little of it. */
const poisonNode = (kind: (typeof POISONS)[number]): NodeSpec => ({
  key: "a",
  type: "handler",
  with: { task: "chaos.poison", input: { kind, bytes: kind === "flood" ? 200_000_000 : 2_000_000_000 } },
  retry: { retries: 4, delays: ["200ms"] },
  timeout: "8s",
  ...(kind === "memory" ? { group: "small" } : {}),
});

const FAN = 100;
const fan = Array.from({ length: FAN }, (_, n) => `leaf${n + 1}`);

/** The load of a rig: what people run all day, small. */
export function loadPipelines(url: string, databaseUrl: string): Readonly<Record<string, Spec>> {
  const spec = (nodes: readonly NodeSpec[], more: Partial<Spec> = {}): Spec => ({ domain: "CHAOS", ...more, nodes: [...nodes] });
  return {
    chain: spec([
      httpNode(url, "a"),
      effectNode(url, "b", ["a"]),
      httpNode(url, "c", ["b"]),
      stepNode("d", ["c"], 50),
      httpNode(url, "e", ["d"]),
    ]),
    diamond: spec([httpNode(url, "a"), effectNode(url, "b", ["a"]), effectNode(url, "c", ["a"], 120), httpNode(url, "d", ["b", "c"])]),
    fan: spec([httpNode(url, "a"), ...fan.map((key) => stepNode(key, ["a"])), httpNode(url, "z", fan)]),
    retrying: spec([httpNode(url, "a", [], "?fail=2"), httpNode(url, "b", ["a"])]),
    command: spec([commandNode(url, "a"), httpNode(url, "b", ["a"])]),
    long: spec([effectNode(url, "a", [], 1_500), httpNode(url, "b", ["a"], "?hold=700")]),
    probe: spec([httpNode(url, "a")]),
    // What rows hold their faults against: each has taken effect long before it ends.
    "slow-handler": spec([effectNode(url, "a", [], 60_000), httpNode(url, "b", ["a"])]),
    "slow-command": spec([commandNode(url, "a", [], 60_000), httpNode(url, "b", ["a"])]),
    "slow-http": spec([httpNode(url, "a", [], "?hold=60000"), httpNode(url, "b", ["a"])]),
    "brief-handler": spec([effectNode(url, "a", [], 4_000), httpNode(url, "b", ["a"])]),
    spinning: spec([{ ...stepNode("a"), with: { task: "chaos.spin", input: { ms: 45_000 } } } as NodeSpec]),
    "brief-spin": spec([{ ...stepNode("a"), with: { task: "chaos.spin", input: { ms: 12_000 } } } as NodeSpec]),
    refused: spec([{ ...httpNode(url, "a", [], "?fail=1000"), retry: { retries: 5, delays: ["30s"] } }, httpNode(url, "b", ["a"])]),
    ...Object.fromEntries(POISONS.map((kind) => [`poison-${kind}`, spec([poisonNode(kind)])])),
    // Nodes that keep a connection of the database for themselves while they run (B107).
    connecting: spec([{ ...effectNode(url, "a"), with: { task: "chaos.connect", input: { url: databaseUrl, ms: 6_000 } } } as NodeSpec]),
    ticks: spec([httpNode(url, "a")], {
      schedules: [
        { name: "often", cron: "*/2 * * * * *", timezone: "UTC", misfire: "all", overlap: "allow" },
        { name: "in-line", cron: "*/3 * * * * *", timezone: "UTC", misfire: "all", overlap: "queue" },
      ],
    }),
  };
}

/** How often each is started, of 20. */
export const LOAD_WEIGHTS: readonly (readonly [string, number])[] = [
  ["chain", 7],
  ["diamond", 5],
  ["retrying", 3],
  ["long", 2],
  ["command", 2],
  ["fan", 1],
];
