import { consoleCtx } from "./request-ctx";
import { createCaller } from "./root";
import { theWorld } from "./world";

/** Procedures for a page that renders on the server, as the person whose headers these are; each checks as if called from outside. */
export async function pageCaller(headers: Headers) {
  const world = theWorld();
  const request = new Request("http://page.invalid/", { headers });
  return createCaller({ ...(await consoleCtx(world, request)), world });
}
