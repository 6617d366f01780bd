import { readFileSync } from "node:fs";

/**
 * Preloaded into a process, it makes the wall clock wrong by what a file says, `<offset ms> <rate>`, read again each 100 ms.
 * The monotonic clock and all timers stay true, as on a host whose clock is set.
 */
const path = process.env.CHAOS_CLOCK_FILE;
const RealDate = Date;
const real = RealDate.now.bind(RealDate);
let offsetMs = 0;
let rate = 1;
let sinceMs = real();

function read(): void {
  if (path === undefined) return;
  try {
    const [offset = 0, speed = 1] = readFileSync(path, "utf8").trim().split(" ").map(Number);
    if (offset === offsetMs && speed === rate) return;
    offsetMs = offset;
    rate = speed;
    sinceMs = real();
  } catch {
    // No file: the clock is right.
  }
}
read();
setInterval(read, 100).unref();

const now = () => Math.floor(sinceMs + (real() - sinceMs) * rate + offsetMs);

class WrongDate extends RealDate {
  constructor(...args: unknown[]) {
    if (args.length === 0) super(now());
    else super(...(args as [number]));
  }

  static override now(): number {
    return now();
  }
}
globalThis.Date = WrongDate as DateConstructor;
