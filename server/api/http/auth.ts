import { signInHeaders } from "../request-ctx";
import { checkedJson, readBody, requireJsonType, requireSameOrigin } from "../walls";
import { theWorld, type World } from "../world";
import { notThere, problemResponse } from "./problem";

const MAX_BYTES = 10_000;
/** Exactly these, by method: what the library could do besides is not on offer. */
const OFFERED: ReadonlySet<string> = new Set(["POST /api/auth/sign-in/email", "POST /api/auth/sign-out"]);

/** Signing in and out, behind the same walls as everything else. */
export async function handleAuth(request: Request, given?: World): Promise<Response> {
  let world = given;
  try {
    world ??= theWorld();
    const { pathname } = new URL(request.url);
    if (!OFFERED.has(`${request.method} ${pathname}`)) throw notThere(pathname);
    requireSameOrigin(request);
    requireJsonType(request);
    const body = await readBody(request, MAX_BYTES);
    checkedJson(body === "" ? "{}" : body);
    return await world.signIn.handle(
      new Request(request.url, { method: request.method, headers: signInHeaders(world, request), body: body === "" ? "{}" : body }),
    );
  } catch (error) {
    return problemResponse(error, crypto.randomUUID(), world?.log);
  }
}
