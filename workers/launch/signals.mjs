import { readFileSync } from "node:fs";

/**
 * Ends everything once, whichever of several signals arrives, also when the npm that started us is gone. `watch` takes
 * the programs of a start (install, build), `take` what stops the rest.
 */
export function stopOnSignal() {
  let stop = async () => undefined;
  const watched = new Set();
  let told = false;
  const onSignal = () => {
    if (told) return;
    told = true;
    for (const child of watched) child.kill("SIGTERM");
    stop().then(
      () => process.exit(0),
      (error) => {
        console.error(error);
        process.exit(1);
      },
    );
  };
  for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, onSignal);
  if (!ignoresHangUp()) process.on("SIGHUP", onSignal);
  const parent = process.ppid;
  if (process.env.npm_lifecycle_event) setInterval(() => process.ppid !== parent && onSignal(), 500).unref();
  return {
    take: (work) => {
      stop = work;
    },
    watch: (child) => {
      watched.add(child);
      child.once("exit", () => watched.delete(child));
    },
  };
}

/** Under `nohup` a closed terminal is meant to change nothing; a handler of ours would undo that. */
function ignoresHangUp() {
  try {
    const mask = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? "0";
    return (BigInt(`0x${mask}`) & 1n) === 1n;
  } catch {
    return false;
  }
}
