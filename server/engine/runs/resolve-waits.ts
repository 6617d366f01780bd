import type { Executor } from "@/db/client";
import { renderTemplate } from "@/server/domain/pipeline/render-template";
import type { Actor, PlanNode } from "@/server/domain/run/model";
import { platformFailure } from "@/server/domain/run/platform-failure";
import { inputsIn, scopeOf, tooLargeMessage } from "./node-inputs";
import { feed, type OpenRun } from "./open-run";

export const ENGINE: Actor = { kind: "system", id: "engine", label: "engine" };

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2})$/;

/** Gives waits that have just begun, and that end at an instant, their end; one that names none fails at once. */
export async function resolveWaits(db: Executor, open: OpenRun, now: Date): Promise<void> {
  for (let found = unresolved(open); found; found = unresolved(open)) {
    const until = await instantOf(db, open, found);
    const node = open.facts.nodes.get(found.key);
    if (!node) return;
    if (typeof until === "string") {
      const failure = platformFailure("waitInvalid", until);
      feed(open, { kind: "attemptFailed", key: found.key, token: node.token, failure, jitter: 0 }, now, { actor: ENGINE });
    } else setEnd(open, found.key, until);
  }
}

function unresolved(open: OpenRun): PlanNode | undefined {
  return open.version.plan.nodes.find((planned) => {
    const node = planned.waitUntil === null ? undefined : open.facts.nodes.get(planned.key);
    return node?.state === "RUNNING" && node.dueAt === null;
  });
}

/** The instant, or what is wrong with it. */
async function instantOf(db: Executor, open: OpenRun, planned: PlanNode): Promise<Date | string> {
  const { outputs, inputTooLarge } = await inputsIn(db, open, planned.reads);
  if (inputTooLarge) return tooLargeMessage(inputTooLarge);
  const scope = scopeOf(open, outputs);
  const rendered = renderTemplate(planned.waitUntil, scope, { mode: "reference" });
  if (rendered.kind === "unresolved") return rendered.problems.map(({ message }) => message).join("; ");
  const text = rendered.value;
  const shown = JSON.stringify(text)?.slice(0, 100) ?? "nothing";
  const at = typeof text === "string" && INSTANT.test(text) ? new Date(text) : null;
  if (at === null || Number.isNaN(at.getTime()))
    return `until is ${shown}; write an instant with its offset, such as 2026-03-01T06:00:00+08:00`;
  return at;
}

function setEnd(open: OpenRun, key: string, dueAt: Date): void {
  const node = open.facts.nodes.get(key);
  if (!node) return;
  const next = { ...node, dueAt };
  open.facts = { ...open.facts, nodes: new Map(open.facts.nodes).set(key, next) };
  const index = open.log.findLastIndex((entry) => entry.kind === "node" && entry.change.key === key);
  const entry = open.log[index];
  if (entry?.kind === "node") open.log[index] = { ...entry, change: { ...entry.change, next } };
}
