import "server-only";
import { headers } from "next/headers";
import { cache } from "react";
import { pageCaller } from "@/server/api/page-caller";

/** Procedures of the person whose page this is: `const me = await (await serverCaller()).session.me()`. One look-up a page. */
export const serverCaller = cache(async () => pageCaller(new Headers(await headers())));
