import { createHash } from "node:crypto";
import { cpus, release, totalmem, version } from "node:os";

/** What kind of machine and runtime a worker is: attempts keep it, so that a class of machines that fails more is found (WRK-1). */
export function fingerprintOf(): Record<string, unknown> {
  const cores = cpus();
  const told = {
    cpu: cores[0]?.model.trim() ?? "unknown",
    cores: cores.length,
    memoryBytes: totalmem(),
    kernel: `${process.platform} ${release()}`,
    system: version(),
    runtime: `node ${process.versions.node}`,
    arch: process.arch,
    versions: { v8: process.versions.v8, openssl: process.versions.openssl, tz: process.versions.tz ?? null },
  };
  return { ...told, class: createHash("sha256").update(JSON.stringify(told)).digest("hex").slice(0, 12) };
}
