import { describe, expect, it } from "vitest";
import { keepServices, loopService, type Service } from "@/workers/service";

const untilAborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));

function recorded(name: string, log: string[]): Service {
  return loopService({
    name,
    run: async (signal, ready) => {
      log.push(`start ${name}`);
      ready();
      await untilAborted(signal);
      log.push(`stop ${name}`);
    },
  });
}

function failing(name: string, gate: Promise<unknown>): Service {
  return loopService({
    name,
    run: async (_signal, ready) => {
      ready();
      await gate;
      throw new Error("lost its database");
    },
  });
}

describe("services of a process", () => {
  it("start in order, stop in reverse when told to end (WRK-4)", async () => {
    const log: string[] = [];
    const end = new AbortController();
    const services = [recorded("lease", log), recorded("wheel", log)];
    const kept = keepServices(services, { until: end.signal });
    await Promise.all(services.map((service) => service.start()));
    expect(services.map((service) => service.health().ok)).toEqual([true, true]);
    end.abort();
    expect(await kept).toBe(0);
    expect(log).toEqual(["start lease", "start wheel", "stop wheel", "stop lease"]);
    expect(services[0]?.health()).toEqual({ ok: false, detail: "ended" });
  });

  it("all stop, with a failing exit code, when one fails by itself", async () => {
    const log: string[] = [];
    const gate = Promise.resolve();
    const failures: string[] = [];
    const code = await keepServices([recorded("lease", log), failing("wheel", gate)], {
      until: new AbortController().signal,
      onFailure: (service, error) => failures.push(`${service}: ${error instanceof Error ? error.message : ""}`),
    });
    expect(code).toBe(1);
    expect(failures).toEqual(["wheel: lost its database"]);
    expect(log).toEqual(["start lease", "stop lease"]);
  });

  it("never start what comes after one that could not start", async () => {
    const log: string[] = [];
    const broken = loopService({ name: "broken", run: () => Promise.reject(new Error("port in use")) });
    const code = await keepServices([broken, recorded("wheel", log)], { until: new AbortController().signal });
    expect(code).toBe(1);
    expect(log).toEqual([]);
  });

  it("treat a loop that returns without being told as failed", async () => {
    const service = loopService({ name: "short", run: async (_signal, ready) => ready() });
    await service.start();
    await expect(service.stopped).rejects.toThrow("short ended by itself");
  });

  it("may be stopped before the start, twice, and started no more", async () => {
    const log: string[] = [];
    const service = recorded("lease", log);
    await service.stop();
    await service.stop();
    await service.start();
    await service.stopped;
    expect(log).toEqual([]);
  });

  it("take an abort thrown by what they waited for as a stop, not as a failure", async () => {
    const service = loopService({
      name: "poll",
      run: async (signal, ready) => {
        ready();
        await untilAborted(signal);
        signal.throwIfAborted();
      },
    });
    await service.start();
    await service.stop();
    await expect(service.stopped).resolves.toBeUndefined();
  });
});
