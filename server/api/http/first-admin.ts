import { parseInput } from "@/server/domain/input";
import { becomeFirstAdmin, firstAdminSchema } from "@/server/engine/access/become-first-admin";
import { signInHeaders, sourceOf } from "../request-ctx";
import { checkedJson, readBody, requireJsonType, requireSameOrigin } from "../walls";
import { theWorld, type World } from "../world";
import { problemResponse } from "./problem";

const MAX_BYTES = 10_000;

/** Consumes the one-time link and signs the new administrator in. A GET shows the form and consumes nothing. */
export async function handleFirstAdmin(request: Request, given?: World): Promise<Response> {
  let world = given;
  const requestId = crypto.randomUUID();
  try {
    world ??= theWorld();
    requireSameOrigin(request);
    requireJsonType(request);
    const input = parseInput(firstAdminSchema, checkedJson(await readBody(request, MAX_BYTES)));
    const ctx = world.ctx({ kind: "anonymous" }, sourceOf(world, request, "console"));
    const { email } = await becomeFirstAdmin(ctx, input);
    const signedIn = await world.signIn.signIn({ email, password: input.password }, signInHeaders(world, request));
    const response = Response.json({ ok: true, signedIn: signedIn.ok }, { status: 201, headers: { "cache-control": "no-store" } });
    for (const cookie of signedIn.headers.getSetCookie()) response.headers.append("set-cookie", cookie);
    return response;
  } catch (error) {
    return problemResponse(error, requestId, world?.log);
  }
}
