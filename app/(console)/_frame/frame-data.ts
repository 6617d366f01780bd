import type { Role } from "@/server/domain/access/roles";

export interface FrameProject {
  id: string;
  /** Its stable name in addresses and cookies. */
  name: string;
  title: string;
  /** Of whoever looks. */
  role: Role;
}

export interface FrameUser {
  name: string;
  email: string;
}

export type LiveState = { kind: "live" } | { kind: "paused" } | { kind: "offline"; sinceMs: number | null };

export interface FrameBanner {
  key: string;
  tone: "warn" | "bad" | "info";
  text: string;
  /** Where to act on it. */
  link?: { href: string; label: string };
}

/** What the frame shows besides the page; all of it comes in by props. */
export interface FrameData {
  project: FrameProject | null;
  projects: readonly FrameProject[];
  user: FrameUser;
  role: Role | null;
  /** Numbers beside places, such as paused runs beside Runs. */
  counts?: Partial<Record<"runs" | "pipelines" | "schedules" | "workers" | "reviews", number>>;
}
