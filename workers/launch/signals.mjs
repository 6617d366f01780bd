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
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, onSignal);
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
