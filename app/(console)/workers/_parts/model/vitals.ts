import { isRefusal, type Refusal } from "@/server/domain/run/refusal";
import type { WorkerView } from "../views";

type Told = Readonly<Record<string, unknown>>;

const numberIn = (told: Told, name: string): number | null => {
  const value = told[name];
  return typeof value === "number" && Number.isFinite(value) ? value : null;
};
const textIn = (told: Told, name: string): string | null => {
  const value = told[name];
  return typeof value === "string" && value !== "" ? value : null;
};

export interface Vitals {
  readonly load: number | null;
  readonly cores: number | null;
  /** Shares of 1. */
  readonly memoryUsed: number | null;
  readonly diskUsed: number | null;
  readonly rssBytes: number | null;
  readonly lagMs: number | null;
  readonly connections: number | null;
  readonly cpu: string | null;
  readonly kernel: string | null;
  readonly runtime: string | null;
  /** Machines of one kind share it. */
  readonly kind: string | null;
  /** What keeps it from its work though it lives. */
  readonly trouble: string | null;
}

/** What a worker says of itself; a worker in another language may say less. */
export function vitalsOf({ heartbeat, fingerprint }: Pick<WorkerView, "heartbeat" | "fingerprint">): Vitals {
  return {
    load: numberIn(heartbeat, "load"),
    cores: numberIn(fingerprint, "cores"),
    memoryUsed: numberIn(heartbeat, "memoryUsed"),
    diskUsed: numberIn(heartbeat, "diskUsed"),
    rssBytes: numberIn(heartbeat, "rssBytes"),
    lagMs: numberIn(heartbeat, "loopLagMs"),
    connections: numberIn(heartbeat, "connections"),
    cpu: textIn(fingerprint, "cpu"),
    kernel: textIn(fingerprint, "kernel"),
    runtime: textIn(fingerprint, "runtime"),
    kind: textIn(fingerprint, "class"),
    trouble: textIn(heartbeat, "trouble"),
  };
}

/** `812 MB`, `1.4 GB`: decimal, as disks and clouds count. */
export function bytesText(bytes: number): string {
  if (bytes < 1e6) return `${Math.max(0, Math.round(bytes / 1e3))} kB`;
  if (bytes < 1e9) return `${Math.round(bytes / 1e6)} MB`;
  return `${(bytes / 1e9).toFixed(1)} GB`;
}

export type WorkerStanding = "gone" | "draining" | "refusing" | "working" | "idle";

export function standingOf({
  isLive,
  draining,
  refusing,
  active,
}: Pick<WorkerView, "isLive" | "draining" | "refusing" | "active">): WorkerStanding {
  if (!isLive) return "gone";
  if (draining || refusing === "drain") return "draining";
  if (refusing !== null) return "refusing";
  return active > 0 ? "working" : "idle";
}

/** Which words tell why it takes no new node; what no word is known for is shown as the worker says it. */
export const refusalWord = (refusing: string | null): Refusal | "other" => (refusing !== null && isRefusal(refusing) ? refusing : "other");
