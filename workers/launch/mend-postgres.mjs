// Mends three faults of postgres.js 3.4.9 after every install (porsager/postgres#1066, #1154, #1208), until a release does.
// 1. A query on a connection that has closed is written to a null socket from a timer, which no caller can catch: the
//    whole process ends. It is refused with CONNECTION_CLOSED instead.
// 2. A transaction whose connection was lost keeps its handle; the connection reconnects for somebody else, and later
//    statements of the dead transaction would run there. They are refused as well.
// 3. A new connection first asks for the array types, and where the server ends it just then (a restart, a storm of
//    pg_terminate_backend) nobody catches that: the whole process ends. The connection is dialled again instead.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));

const MENDS = [
  {
    file: "connection.js",
    before: "    if (stream)\n      return queryError(q, Errors.generic('COPY_IN_PROGRESS'",
    after:
      "    if (socket === null)\n      return queryError(q, Errors.connection('CONNECTION_CLOSED', options)), true\n\n" +
      "    if (stream)\n      return queryError(q, Errors.generic('COPY_IN_PROGRESS'",
  },
  {
    file: "connection.js",
    before: "        return fetchArrayTypes()\n",
    after: "        return fetchArrayTypes().catch(() => socket && socket.destroy())\n",
  },
  {
    file: "index.js",
    before: "        new Promise((_, reject) => connection.onclose = reject)\n",
    after: "        new Promise((_, reject) => connection.onclose = e => reject(lost = e))\n",
  },
  {
    file: "index.js",
    before: "      , connection\n      , prepare = null\n\n    try {\n      await sql.unsafe('begin '",
    after: "      , connection\n      , lost = null\n      , prepare = null\n\n    try {\n      await sql.unsafe('begin '",
  },
  {
    file: "index.js",
    before: "        c.queue === full\n          ? queries.push(q)",
    after: "        lost ? q.reject(lost) : c.queue === full\n          ? queries.push(q)",
  },
];

/** Applies each mend once; a text that is not there means another version, and somebody must look. */
export function mendPostgres(packageFolder = `${root}node_modules/postgres`) {
  for (const build of ["src", "cjs/src"]) {
    for (const { file, before, after } of MENDS) {
      const path = `${packageFolder}/${build}/${file}`;
      if (!existsSync(path)) continue;
      const text = readFileSync(path, "utf8");
      if (text.includes(after)) continue;
      if (!text.includes(before))
        throw new Error(`${path} is not the text that workers/launch/mend-postgres.mjs mends: look whether the release fixed it.`);
      writeFileSync(path, text.replace(before, after));
    }
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) mendPostgres();
