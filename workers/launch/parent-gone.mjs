// Loaded before a program that is not ours (`node --import`): it ends when the supervisor that started it has gone.
// Programs that it forks have another parent, and must not watch the channel to it.
const own = process.execArgv.findIndex((arg) => arg.endsWith("parent-gone.mjs"));
if (own > 0) process.execArgv.splice(own - 1, 2);

if (process.connected) {
  process.once("disconnect", () => {
    setTimeout(() => process.exit(1), 2_000).unref();
    process.kill(process.pid, "SIGTERM");
  });
  process.channel?.unref();
}
