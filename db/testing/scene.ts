import type { Role } from "../../server/domain/access/roles";
import type { Ctx } from "../../server/engine/context";
import { actingAs, makeProject, makeUser, recordingPorts, testCtx } from "./ctx";
import { openTestDatabase, type TestDatabase } from "./database";

export interface Scene {
  readonly database: TestDatabase;
  readonly ports: ReturnType<typeof recordingPorts>;
  readonly project: { readonly id: string };
  /** The machine itself. */
  readonly root: Ctx;
  /** A person with the role in the project. */
  readonly ctx: Ctx;
}

/** A database of its own with one project and one person in it. */
export async function openScene(role: Role): Promise<Scene> {
  const database = await openTestDatabase();
  const ports = recordingPorts();
  const root = testCtx(database.db, { ports });
  const project = await makeProject(root);
  return { database, ports, project, root, ctx: actingAs(root, await makeUser(root, project, role)) };
}
