// The workloads as they are put to a peer; each is the same as the one of its name in ../workloads.
import { setTimeout as pause } from "node:timers/promises";

const nowMs = () => performance.timeOrigin + performance.now();
const quantile = (values, share) => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
};

async function inFlight(count, atOnce, call) {
  let next = 0;
  const lane = async () => {
    while (next < count) await call(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}

async function warmUp({ client, events }, runs, call) {
  await inFlight(runs, 20, (index) => call(-1 - index));
  await events.untilDone(runs);
  await client.settled?.();
  events.clear();
}

async function warmUpSlowly({ client, events }) {
  for (let run = 0; run < 60; run++) {
    events.clear();
    await client.submit(run);
    await events.untilDone(1);
  }
  events.clear();
}

/** So many units, from the first call until the peer itself says that nothing is left. */
async function rateOf({ client, events, begin, end }, { runs, units, submit }) {
  await begin();
  const begunMs = performance.now();
  await submit();
  await events.untilDone(runs);
  await client.settled?.();
  const tookMs = performance.now() - begunMs;
  await end();
  return { figures: { rate: (units / tookMs) * 1_000 }, units };
}

async function one(bench) {
  const runs = Math.round(10_000 * bench.scale);
  await warmUp(bench, 1_000, (index) => bench.client.submit(index));
  return rateOf(bench, { runs, units: runs, submit: () => inFlight(runs, 50, (index) => bench.client.submit(index)) });
}

async function bulk(bench) {
  const runs = Math.round(10_000 * bench.scale);
  await warmUp(bench, 1_000, (index) => bench.client.submit(index));
  const submit = async () => {
    for (let at = 0; at < runs; at += 500) {
      await bench.client.bulk(Array.from({ length: Math.min(500, runs - at) }, (_, index) => at + index));
    }
  };
  return rateOf(bench, { runs, units: runs, submit });
}

async function chain(bench) {
  const runs = Math.round(200 * bench.scale);
  await warmUp(bench, 400, (index) => bench.client.chain(index, 10));
  return rateOf(bench, { runs, units: runs * 10, submit: () => inFlight(runs, 20, (index) => bench.client.chain(index, 10)) });
}

async function step({ client, events, begin, end }) {
  const gaps = [];
  for (let run = -10; run < 10; run++) {
    if (run === 0) await begin();
    events.clear();
    await client.chain(run, 40);
    await events.untilDone(1);
    const starts = events.starts.map(({ atMs }) => atMs).sort((a, b) => a - b);
    if (run >= 0) for (let index = 1; index < starts.length; index++) gaps.push(starts[index] - starts[index - 1]);
    await pause(100);
  }
  await end();
  return { figures: { p50: quantile(gaps, 0.5), p99: quantile(gaps, 0.99) }, units: 400 };
}

async function fan(bench) {
  const runs = Math.max(1, Math.round(20 * bench.scale));
  await warmUp(bench, 40, (index) => bench.client.fan(index, 100));
  return rateOf(bench, { runs, units: runs * 102, submit: () => inFlight(runs, 20, (index) => bench.client.fan(index, 100)) });
}

async function pickup(bench) {
  const { client, events, begin, end, scale } = bench;
  const runs = Math.max(10, Math.round(100 * scale));
  await warmUp(bench, 50, (index) => client.submit(index));
  await warmUpSlowly(bench);
  await pause(1_000);
  const submitted = new Map();
  const calls = [];
  await begin();
  const begunMs = nowMs();
  for (let index = 0; index < runs; index++) {
    await pause(Math.max(0, begunMs + index * 100 - nowMs()));
    submitted.set(index, nowMs());
    calls.push(client.submit(index));
  }
  await Promise.all(calls);
  await events.untilDone(runs);
  await end();
  const waits = events.starts.map(({ run, atMs }) => atMs - submitted.get(run));
  return { figures: { p50: quantile(waits, 0.5), p99: quantile(waits, 0.99) }, units: runs };
}

async function timer(bench) {
  const { client, events, begin, end, scale } = bench;
  const fires = Math.round(1_000 * scale);
  await warmUp(bench, 50, (index) => client.submit(index));
  await warmUpSlowly(bench);
  const firstMs = Math.ceil(nowMs()) + 4_000;
  const due = Array.from({ length: fires }, (_, index) => firstMs + Math.floor((index * 10_000) / 1_000) + ((index * 7_919) % 10));
  await inFlight(fires, 50, (index) => client.delay(index, due[index]));
  if (nowMs() > firstMs) throw new Error("the timers were not set in time");
  await begin();
  await events.untilDone(fires);
  await end();
  const late = events.starts.map(({ run, atMs }) => atMs - due[run]);
  const early = late.filter((ms) => ms < 0).length;
  return { figures: { p50: quantile(late, 0.5), p99: quantile(late, 0.99) }, units: fires, notes: { early } };
}

export const ROWS = { one, bulk, chain, step, fan, pickup, timer };
