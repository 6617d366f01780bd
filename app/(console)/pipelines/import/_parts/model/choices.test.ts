import { describe, expect, it } from "vitest";
import { previewCrontab } from "@/server/domain/imports/preview-crontab";
import type { Preview } from "../views";
import { choose, firstChoices, isShown, lackingZone, selectionOf } from "./choices";

const TEXT = [
  "MAILTO=ops@example.org",
  "0 2 * * * /opt/nightly.sh",
  "# 0 3 * * * /opt/old.sh",
  "0 2 * * * /opt/nightly.sh",
  "CRON_TZ=Mars/Base",
  "0 4 * * * /opt/mars.sh",
  "0 0 31 2 * /opt/never.sh",
  "# a remark",
].join("\r\n");

const preview = (existing: Preview["existing"] = []): Preview => ({
  ...previewCrontab(TEXT, { form: "auto", defaultZone: "Asia/Shanghai", locale: "en", now: new Date("2026-03-01T00:00:00Z") }),
  existing,
});

describe("what is chosen of a crontab (INV-3)", () => {
  it("at first the lines that the preview ticks: no commented one, no duplicate, none without a zone", () => {
    expect([...firstChoices(preview()).ticked]).toEqual([2]);
  });

  it("a line that an earlier import has made is neither ticked nor sent", () => {
    const known = preview([{ line: 2, pipelineId: "p", name: "nightly" }]);
    expect([...firstChoices(known).ticked]).toEqual([]);
    const all = choose(firstChoices(known), { kind: "tickAll", lines: [2, 3], on: true });
    expect(selectionOf(known, all)).toEqual([{ line: 3 }]);
  });

  it("a line without a zone can be sent only with the one that a person names", () => {
    const shown = preview();
    const ticked = choose(firstChoices(shown), { kind: "tick", line: 6, on: true });
    expect(lackingZone(shown, ticked)).toEqual([6]);
    const zoned = choose(ticked, { kind: "zone", line: 6, zone: " Europe/Berlin " });
    expect(lackingZone(shown, zoned)).toEqual([]);
    expect(selectionOf(shown, zoned)).toEqual([{ line: 2 }, { line: 6, zone: "Europe/Berlin" }]);
  });

  it("a name is sent only where it was changed", () => {
    const shown = preview();
    const proposed = selectionOf(shown, choose(firstChoices(shown), { kind: "name", line: 2, name: "" }));
    expect(proposed).toEqual([{ line: 2 }]);
    expect(selectionOf(shown, choose(firstChoices(shown), { kind: "name", line: 2, name: "orders" }))).toEqual([
      { line: 2, name: "orders" },
    ]);
  });

  it("the lines that want a look are those with something refused, lost, doubtful or double", () => {
    const looked = preview().lines.filter((line) => isShown(line, "look"));
    expect(looked.map(({ line }) => line)).toEqual(expect.arrayContaining([4, 5, 6, 7]));
    expect(looked.map(({ line }) => line)).not.toContain(8);
  });
});
