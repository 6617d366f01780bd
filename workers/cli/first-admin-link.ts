import { DomainError } from "@/server/domain/failure";
import { createFirstAdminLink } from "@/server/engine/access/create-first-admin-link";
import { runTool } from "./tool";

/** Prints the link by which the first administrator signs in; nothing on stdout once there is one. */
await runTool("first-admin-link", async (ctx, { env }) => {
  try {
    const { url } = await createFirstAdminLink(ctx, { baseUrl: env.baseUrl });
    process.stdout.write(`${url}\n`);
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== "conflict") throw error;
    console.error(error.message);
  }
});
