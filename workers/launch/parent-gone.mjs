// Loaded before a program that is not ours (`node --import`): it ends when the supervisor that started it has gone.
if (process.connected) {
  process.once("disconnect", () => {
    setTimeout(() => process.exit(1), 2_000).unref();
    process.kill(process.pid, "SIGTERM");
  });
  process.channel?.unref();
}
