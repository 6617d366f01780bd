import { type SQL, sql } from "drizzle-orm";
import { groupKey, poolKey } from "../../../server/domain/pool/limit-key";

/** A key of `limit-key` in SQL, of these columns. */
const keyOf = (key: (...columns: string[]) => string, columns: readonly string[]): SQL =>
  sql.raw(`format('${key(...columns.map(() => "%s"))}', ${columns.join(", ")})`);

const POOL_KEY = keyOf((project = "", name = "") => poolKey(project, name), ["project_id", "name"]);
const GROUP_KEY = keyOf((name = "") => groupKey(name), ["name"]);

/** Every limit that is set, with the key of its slots. */
export const LIMITS = sql`(select ${POOL_KEY} as key, slots from pools union all select ${GROUP_KEY} as key, slots from group_limits)`;
