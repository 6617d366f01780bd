import { type EmbeddedPostgres, startEmbeddedPostgres } from "@/db/embedded";
import { readEnv } from "@/server/env";

/** The PostgreSQL of this machine's data folder, for when no DATABASE_URL names another one. */
export function startOwnPostgres(elsewhere: string | undefined): Promise<EmbeddedPostgres> {
  return startEmbeddedPostgres({ dataDir: readEnv().dataDir, elsewhere });
}
