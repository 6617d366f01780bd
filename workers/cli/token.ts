import { parseArgs } from "node:util";
import { roleSchema } from "@/server/domain/access/account";
import { DomainError } from "@/server/domain/failure";
import { createToken } from "@/server/engine/access/create-token";
import { loadProject } from "@/server/engine/projects/load-project";
import { runTool } from "./tool";

const USAGE = "Usage: npm run --silent token -- --project demo --role viewer|operator|editor|admin [--name CI] [--days 90]";

/** Prints a new service token and nothing else: `TOKEN=$(npm run --silent token -- --project demo --role admin)`. */
await runTool("token", async (ctx) => {
  const { project, role, name, days } = readArguments();
  const { id: projectId } = await loadProject(ctx, project, "token.manage");
  const { token } = await createToken(ctx, { projectId, role, name, days });
  process.stdout.write(`${token}\n`);
});

function readArguments() {
  const text = { type: "string" } as const;
  try {
    const { values } = parseArgs({ options: { project: text, role: text, name: text, days: text } });
    const role = roleSchema.safeParse(values.role);
    if (!values.project || !role.success) throw new Error(values.project ? "--role is missing or not a role" : "--project is missing");
    return { project: values.project, role: role.data, name: values.name ?? "command line", days: Number(values.days ?? 90) };
  } catch (error) {
    throw new DomainError("invalid_input", `${error instanceof Error ? error.message : String(error)}. ${USAGE}`);
  }
}
