import { OPENAPI_PATH, restApp, SCHEMA_PATH } from "../openapi";
import { tokenCtx } from "../request-ctx";
import type { RestApp } from "../rest/endpoint";
import { theWorld, type World } from "../world";
import { problemResponse } from "./problem";

const OPEN: ReadonlySet<string> = new Set([`GET ${OPENAPI_PATH}`, `GET ${SCHEMA_PATH}`]);

let app: RestApp | undefined;

/** The door for scripts: a service token and nothing else, so that no browser can be made to use it for somebody. */
export async function handleRest(request: Request, given?: World): Promise<Response> {
  let world = given;
  let requestId: string = crypto.randomUUID();
  try {
    world ??= theWorld();
    app ??= restApp();
    const isOpen = OPEN.has(`${request.method} ${new URL(request.url).pathname}`);
    const ctx = await tokenCtx(world, isOpen ? new Request(request.url) : request);
    requestId = ctx.source.id;
    return await app.fetch(request, { ctx });
  } catch (error) {
    return problemResponse(error, requestId, world?.log);
  }
}
