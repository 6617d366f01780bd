import { randomBytes } from "node:crypto";
import { v7 } from "uuid";
import type { Principal, Role } from "../../server/domain/access/roles";
import type { Ctx } from "../../server/engine/context";
import type { Mail, Ports } from "../../server/engine/ports";
import type { Db } from "../client";
import { memberships, projects, users } from "../schema/access";

export const MACHINE: Principal = { kind: "system", id: "test", label: "test" };

/** Plugs that keep what they were told: for verbs whose test is not about ports. */
export function recordingPorts(): Ports & { readonly rung: string[]; readonly changed: string[]; readonly mailed: Mail[] } {
  const rung: string[] = [];
  const mailed: Mail[] = [];
  const changed: string[] = [];
  const listeners = new Set<(projectId: string) => void>();
  const nothing = { close: async () => {} };
  return {
    rung,
    changed,
    mailed,
    mail: { send: async (mail) => void mailed.push(mail) },
    baseUrl: "https://apollo.example.org",
    doorbell: {
      ring: async (groups) => void rung.push(...groups),
      listen: async () => ({ ...nothing, pause: () => {}, resume: () => {} }),
      depth: async () => 0,
      purge: async (group) => {
        const others = rung.filter((each) => each !== group);
        return rung.splice(0, rung.length, ...others).length - others.length;
      },
      close: async () => {},
    },
    http: {
      send: async (request) => {
        throw new Error(`no HTTP in this test: ${request.url}`);
      },
    },
    vault: {
      keyId: "test",
      seal: (_context, value) => ({
        wrappedKey: Buffer.from("key"),
        nonce: Buffer.from("nonce"),
        ciphertext: Buffer.from(value).reverse(),
      }),
      open: (_context, sealed) => Buffer.from(sealed.ciphertext).reverse().toString(),
    },
    live: {
      changed: (projectId) => {
        changed.push(projectId);
        for (const listener of listeners) listener(projectId);
      },
      subscribe: async (onChange) => {
        listeners.add(onChange);
        return { close: async () => void listeners.delete(onChange) };
      },
      close: async () => {},
    },
  };
}

/** The world of a verb on a test database. The clock is the machine's unless one is given. */
export function testCtx(db: Db, options: { principal?: Principal; now?: () => Date; ports?: Ports; via?: Ctx["source"]["via"] } = {}): Ctx {
  const now = options.now ?? (() => new Date());
  const quiet = () => {};
  return {
    db,
    clock: { now, monotonicMs: () => performance.now(), ...(options.now ? { database: options.now } : {}) },
    ids: {
      uuid: (at) => v7({ msecs: (at ?? now()).getTime() }),
      randomHex: (bytes) => randomBytes(bytes).toString("hex"),
    },
    random: () => 0.5,
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    ports: options.ports ?? recordingPorts(),
    principal: options.principal ?? MACHINE,
    source: { id: "request-1", via: options.via ?? "console", ip: "127.0.0.1", userAgent: "test" },
  };
}

export const actingAs = (ctx: Ctx, principal: Principal): Ctx => ({ ...ctx, principal });

/** A project of its own for one suite. */
export async function makeProject(ctx: Ctx, key = `p-${ctx.ids.randomHex(4)}`): Promise<{ id: string; key: string }> {
  const id = ctx.ids.uuid();
  await ctx.db.insert(projects).values({ id, key, title: `Project ${key}` });
  return { id, key };
}

/** A user with a role in one project, as the server would know it. */
export async function makeUser(
  ctx: Ctx,
  project: { id: string } | null,
  role: Role | "administrator",
): Promise<Principal & { kind: "user" }> {
  const id = ctx.ids.uuid();
  const label = `${role}-${id.slice(-6)}`;
  const isAdmin = role === "administrator";
  await ctx.db.insert(users).values({ id, name: label, email: `${label}@example.org`, isAdmin });
  if (project && role !== "administrator") await ctx.db.insert(memberships).values({ projectId: project.id, userId: id, role });
  return { kind: "user", id, label, isAdmin, roles: new Map(project && role !== "administrator" ? [[project.id, role]] : []) };
}
