import type { Principal } from "@/server/domain/access/roles";
import { DomainError } from "@/server/domain/failure";
import { findSessionPrincipal } from "@/server/engine/access/find-session-principal";
import { findTokenPrincipal } from "@/server/engine/access/principals";
import { ADDRESS_HEADER } from "@/server/engine/access/sign-in";
import type { Ctx, RequestSource } from "@/server/engine/context";
import type { World } from "./world";

const MACHINE: Principal = { kind: "system", id: "web", label: "web" };
const ANONYMOUS: Principal = { kind: "anonymous" };

/** Where a request came from, as it stands in the audit row. */
export function sourceOf(world: World, request: Request, via: RequestSource["via"]): RequestSource {
  return {
    id: world.ids.uuid(),
    via,
    ip: world.addressOf(request.headers),
    userAgent: request.headers.get("user-agent")?.slice(0, 300) ?? null,
  };
}

/** The headers of a request for the sign-in, with the address that we vouch for or none. */
export function signInHeaders(world: World, request: Request): Headers {
  const headers = new Headers(request.headers);
  const address = world.addressOf(request.headers);
  if (address === null) headers.delete(ADDRESS_HEADER);
  else headers.set(ADDRESS_HEADER, address);
  return headers;
}

/** Who asks by the session cookie, with the roles of this moment. */
export async function consoleCtx(world: World, request: Request): Promise<Ctx> {
  const source = sourceOf(world, request, "console");
  const session = request.headers.has("cookie") ? await world.signIn.findSession(request.headers) : null;
  const principal = session ? await findSessionPrincipal(world.ctx(MACHINE, source), session) : null;
  return world.ctx(principal ?? ANONYMOUS, source);
}

/** Who asks by a service token; a header that is not a valid one is refused and never taken for a stranger. */
export async function tokenCtx(world: World, request: Request): Promise<Ctx> {
  const source = sourceOf(world, request, "api");
  const header = request.headers.get("authorization");
  if (header === null) return world.ctx(ANONYMOUS, source);
  const [, token] = /^Bearer ([\w.~+/=-]{1,200})$/i.exec(header) ?? [];
  const principal = token ? await findTokenPrincipal(world.ctx(MACHINE, source), token) : null;
  if (!principal)
    throw new DomainError("unauthenticated", "the service token is unknown, expired or revoked: make another under Settings, Tokens");
  return world.ctx(principal, source);
}
