import type { Principal } from "@/server/domain/access/roles";
import { DomainError } from "@/server/domain/failure";
import type { SignIn } from "@/server/engine/access/sign-in";
import type { Ctx, Ids, Log, RequestSource } from "@/server/engine/context";
import type { AddressOf } from "./request-address";

/** What the web process was started with; made once in instrumentation.ts, the same for every request. */
export interface World {
  readonly log: Log;
  readonly ids: Ids;
  readonly signIn: SignIn;
  /** Tells the supervisor its own web process from one left over. */
  readonly bootId: string | null;
  readonly addressOf: AddressOf;
  /** Open streams end when it aborts, so that a stop need not wait for them. */
  readonly stopping: AbortSignal;
  ctx(principal: Principal, source: RequestSource): Ctx;
}

// Next bundles instrumentation and routes apart: a module variable would be two.
const HELD = Symbol.for("apollo11.world");
const holder = globalThis as { [HELD]?: World };

export function holdWorld(world: World): void {
  holder[HELD] = world;
}

export function theWorld(): World {
  const world = holder[HELD];
  if (!world) throw new DomainError("unavailable", "the web process is still starting; try again in a moment");
  return world;
}
