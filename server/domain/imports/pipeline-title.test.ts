import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pipelineNameSchema } from "../pipeline/definition";
import { claimName, proposeName, proposeTitle } from "./pipeline-title";

describe("names and titles of imported pipelines (INV-3)", () => {
  it.each([
    ["/srv/bin/refresh-cache", "refresh-cache"],
    ["cd /srv/sync && ./pull-orders.sh >> /var/log/x.log 2>&1", "pull-orders"],
    ["/usr/bin/flock -n /run/lock/q.lock /srv/bin/queue-probe", "queue-probe"],
    ["FOO=1 BAR=2 /srv/bin/nightly.py --all", "nightly"],
    ["test -x /usr/sbin/anacron || run-parts --report /etc/cron.daily", "cron-daily"],
    ["nice -n 10 timeout 30s python3 /srv/etl/clean.py", "clean"],
    ["mysqldump shop | gzip > x.gz", "mysqldump"],
    ['"/opt/My App/run" now', "my"],
    ["/srv/bin/报表", "cron-line-7"],
  ])("%j is named %s (INV-3)", (command, name) => {
    expect(proposeName(command, "cron-line-7")).toBe(name);
  });

  it("any command gives a valid name and a title of at most 80 signs (INV-3)", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 200 }), (command) => {
        expect(pipelineNameSchema.safeParse(proposeName(command, "cron-line-1")).success).toBe(true);
        expect(Array.from(proposeTitle(command)).length).toBeLessThanOrEqual(80);
      }),
    );
  });

  it("names stay unique and short, however many are alike (INV-3)", () => {
    const taken = new Set<string>(["backup"]);
    expect([
      claimName("backup", taken),
      claimName("backup", taken),
      claimName("x".repeat(64), taken),
      claimName("x".repeat(64), taken),
    ]).toEqual(["backup-2", "backup-3", "x".repeat(64), `${"x".repeat(62)}-2`]);
  });
});
