import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DomainError } from "../failure";
import { isPreviewOffer, type PreviewLine, type PreviewOptions, previewCrontab } from "./preview-crontab";

const OPTIONS: PreviewOptions = { form: "auto", defaultZone: "Europe/Paris", locale: "en", now: new Date("2026-11-30T00:00:00Z") };
const preview = (text: string, options: Partial<PreviewOptions> = {}) => previewCrontab(text, { ...OPTIONS, ...options });

/** Night batches in the user form: settings, every trap of the time fields, and what cannot be carried over. */
const USER = [
  "# batch host",
  "SHELL=/bin/bash",
  "PATH=/usr/local/bin:/usr/bin:/bin",
  'MAILTO="night@example.com"',
  "NOTE='only a variable'",
  "",
  "*/5 * * * *     cd /srv/in && ./fetch.sh >> /var/log/fetch.log 2>&1",
  "*/40 * * * *    /srv/bin/warm\t\t# at :00 and :40",
  "0 2 * * *  /srv/etl/clean.py --date=$(date +\\%F)",
  "45 23 * * * mail -s today night@example.com%one line%another",
  "@daily     /srv/bin/rotate",
  "0 11 1-7 * FRI  /srv/bin/first-week",
  "0 0 31 2 *      /srv/bin/never",
  "CRON_TZ=America/New_York",
  "30 2 * * *      /srv/bin/settle",
  "CRON_TZ=Mars/Base",
  "0 1 * * *       /srv/bin/nowhere",
  "@reboot         /srv/bin/once",
  '@hourly         /srv/bin/报表 --名称="每小时"',
  "* * * *         /srv/bin/four-fields",
  "60 * * * *      /srv/bin/minute-sixty",
  "*/90 * * * *    /srv/bin/step",
  "5-1 * * * *     /srv/bin/backwards",
  "#0 3 * * *      /srv/bin/resting",
  "*/5 * * * *     cd /srv/in && ./fetch.sh >> /var/log/fetch.log 2>&1",
].join("\n");

const SYSTEM = [
  "# m h dom mon dow user command",
  "SHELL=/bin/sh",
  "17 *\t* * *\troot    cd / && run-parts --report /etc/cron.hourly",
  "*/10 * * * * www-data [ -x /srv/app/worker ] && /srv/app/worker tick",
  "@weekly backup /srv/bin/offsite --since=last",
].join("\n");

const lineOf = (lines: readonly PreviewLine[], number: number): PreviewLine => {
  const found = lines.find(({ line }) => line === number);
  if (found === undefined) throw new Error(`no line ${number}`);
  return found;
};
const offerOf = (lines: readonly PreviewLine[], number: number) => {
  const line = lineOf(lines, number);
  if (!isPreviewOffer(line)) throw new Error(`line ${number} is ${line.kind}`);
  return line;
};
const reasonsOf = (line: PreviewLine) => ("reasons" in line ? line.reasons.map(({ code }) => code) : []);

describe("a crontab of the user form (INV-3)", () => {
  const { form, lines, alertAddresses, counts } = preview(USER);

  it("is told from the system form, and no line of it is lost (INV-3)", () => {
    expect(form).toBe("user");
    expect(lines.map(({ raw }) => raw).join("\n")).toBe(USER);
    expect(counts).toEqual({ offered: 11, ticked: 7, refused: 7 });
  });

  it("keeps and shows its settings; SHELL decides the shell, MAILTO is offered as alert address (INV-3)", () => {
    expect(lines.filter(({ kind }) => kind === "env").map(({ line }) => line)).toEqual([2, 3, 4, 5, 14]);
    expect(offerOf(lines, 7).entry.shell).toBe("/bin/bash");
    expect(offerOf(lines, 7).entry.env).toEqual({
      SHELL: "/bin/bash",
      PATH: "/usr/local/bin:/usr/bin:/bin",
      MAILTO: "night@example.com",
      NOTE: "only a variable",
    });
    expect(alertAddresses).toEqual(["night@example.com"]);
  });

  it("shows words, the assumed zone and the next five fires of an entry (INV-3, SCH-1)", () => {
    const { entry } = offerOf(lines, 11);
    expect(entry).toMatchObject({ expression: "@daily", words: "At 00:00, every day", zone: "Europe/Paris", zoneAssumed: true });
    expect(entry.nextFires.map((fire) => fire.toISOString())).toEqual([
      "2026-11-30T23:00:00.000Z",
      "2026-12-01T23:00:00.000Z",
      "2026-12-02T23:00:00.000Z",
      "2026-12-03T23:00:00.000Z",
      "2026-12-04T23:00:00.000Z",
    ]);
  });

  it("speaks the interface's language (ECO-2)", () => {
    expect(offerOf(preview(USER, { locale: "zh-CN" }).lines, 11).entry.words).toBe("每天，在 00:00");
  });

  it("% splits standard input, \\% is a percent sign (INV-3)", () => {
    expect(offerOf(lines, 9).entry).toMatchObject({ command: "/srv/etl/clean.py --date=$(date +%F)", stdin: null });
    expect(offerOf(lines, 10).entry).toMatchObject({ command: "mail -s today night@example.com", stdin: "one line\nanother\n" });
  });

  it("CRON_TZ holds from its line on (INV-3, SCH-1)", () => {
    expect(offerOf(lines, 12).entry).toMatchObject({ zone: "Europe/Paris", zoneAssumed: true });
    expect(offerOf(lines, 15).entry).toMatchObject({ zone: "America/New_York", zoneAssumed: false });
    expect(offerOf(lines, 15).entry.nextFires[0]).toEqual(new Date("2026-11-30T07:30:00Z"));
  });

  it("a zone that does not exist is refused with its line, and no other zone is put in its place (INV-3, B06)", () => {
    expect(reasonsOf(lineOf(lines, 16))).toEqual(["unknown_zone"]);
    const { entry, importable, ticked, notCarriedOver } = offerOf(lines, 17);
    expect({ importable, ticked, zone: entry.zone, nextFires: entry.nextFires, origin: entry.origin }).toEqual({
      importable: false,
      ticked: false,
      zone: null,
      nextFires: [],
      origin: null,
    });
    expect(notCarriedOver[0]).toMatchObject({ code: "zone_of_line", values: { line: 16, zone: "Mars/Base" } });
  });

  it.each([
    [13, "cron_never_fires"],
    [20, "four_fields"],
    [21, "cron_out_of_range"],
    [22, "cron_step_too_large"],
    [23, "cron_backward_range"],
  ])("line %i is refused as %s (INV-3, SCH-2)", (number, code) => {
    expect(lineOf(lines, number).kind).toBe("error");
    expect(reasonsOf(lineOf(lines, number))).toEqual([code]);
  });

  it("@reboot is reported as not carried over (INV-3)", () => {
    expect(lineOf(lines, 18)).toMatchObject({ kind: "unsupported", reasons: [{ code: "reboot" }] });
  });

  it("an uneven step is imported with a warning, a trailing # is part of the command (INV-3, B12)", () => {
    const { entry, warnings, ticked } = offerOf(lines, 8);
    expect(warnings.map(({ code }) => code)).toEqual(["cron_uneven_step", "trailing_comment"]);
    expect(entry).toMatchObject({ words: "At 0 and 40 minutes past the hour", command: "/srv/bin/warm\t\t# at :00 and :40", name: "warm" });
    expect(ticked).toBe(true);
  });

  it("a union of days says so (INV-3, B10)", () => {
    expect(offerOf(lines, 12).entry.words).toContain("or on Friday");
    expect(offerOf(lines, 12).warnings.map(({ code }) => code)).toEqual(["cron_day_union"]);
  });

  it("a commented line that parses is offered, unticked (INV-3)", () => {
    expect(offerOf(lines, 24)).toMatchObject({ kind: "commented-entry", ticked: false, entry: { command: "/srv/bin/resting" } });
  });

  it("a line that was there before is marked as the same and not ticked again (INV-3)", () => {
    expect(offerOf(lines, 25)).toMatchObject({ duplicateOf: 7, ticked: false });
    expect(offerOf(lines, 7)).toMatchObject({ duplicateOf: null, ticked: true });
  });

  it("commands of any script stay as they are (INV-3, ECO-2)", () => {
    expect(offerOf(lines, 19).entry).toMatchObject({ command: '/srv/bin/报表 --名称="每小时"', name: "cron-line-19" });
  });
});

describe("a crontab of the system form (INV-3)", () => {
  it("is recognised; the user is kept as run-as and reported (INV-3)", () => {
    const { form, lines, counts } = preview(SYSTEM);
    expect({ form, counts }).toEqual({ form: "system", counts: { offered: 3, ticked: 3, refused: 0 } });
    expect(offerOf(lines, 4)).toMatchObject({
      entry: { runAs: "www-data", command: "[ -x /srv/app/worker ] && /srv/app/worker tick", name: "worker" },
      notCarriedOver: [{ code: "run_as", values: { user: "www-data" } }],
    });
    expect(offerOf(lines, 5).entry).toMatchObject({ expression: "@weekly", runAs: "backup", command: "/srv/bin/offsite --since=last" });
  });

  it("the form can be chosen against the first look (INV-3)", () => {
    const chosen = preview("0 3 * * * deploy /srv/bin/build", { form: "system" });
    expect(offerOf(chosen.lines, 1).entry).toMatchObject({ runAs: "deploy", command: "/srv/bin/build" });
    expect(offerOf(preview("0 3 * * * deploy /srv/bin/build").lines, 1).entry).toMatchObject({
      runAs: null,
      command: "deploy /srv/bin/build",
    });
    expect(reasonsOf(lineOf(preview("0 3 * * * /srv/bin/build", { form: "system" }).lines, 1))).toEqual(["no_user"]);
  });

  it("a command that only looks like a user keeps the user form (INV-3)", () => {
    expect(preview("0 3 * * * mysqldump shop\n5 4 * * * mail -s x root").form).toBe("user");
  });
});

describe("files as they come (INV-3)", () => {
  it("line ends of any system, a byte order mark and tabs change nothing (INV-3)", () => {
    const plain = preview(USER).lines.map(({ kind }) => kind);
    expect(preview(`\uFEFF${USER.replaceAll("\n", "\r\n")}\r\n`).lines.map(({ kind }) => kind)).toEqual(plain);
    expect(offerOf(preview("0\t2\t*\t*\t*\t/srv/x\targ  two").lines, 1).entry).toMatchObject({
      expression: "0 2 * * *",
      command: "/srv/x\targ  two",
    });
  });

  it("settings may have blanks and quotes, and empty ones count (INV-3)", () => {
    const { lines, alertAddresses } = preview("MAILTO = \"\"\n  A  =  'x y' \nSHELL=\n0 1 * * * /srv/x");
    expect(offerOf(lines, 4).entry).toMatchObject({ env: { MAILTO: "", A: "x y", SHELL: "" }, shell: "/bin/sh" });
    expect(alertAddresses).toEqual([]);
  });

  it("a setting holds only for the lines below it (INV-3)", () => {
    const { lines } = preview("0 1 * * * /srv/a\nX=1\n0 2 * * * /srv/b\nX=2\n0 3 * * * /srv/c");
    expect([1, 3, 5].map((number) => offerOf(lines, number).entry.env)).toEqual([{}, { X: "1" }, { X: "2" }]);
  });

  it.each([
    ["PATH=$HOME/bin", "unexpanded_variable"],
    ["TZ=Asia/Tokyo", "zone_setting"],
    ["RANDOM_DELAY=30", "random_delay"],
    ["DB_PASSWORD=hunter2", "looks_secret"],
    ["API_TOKEN=abc", "looks_secret"],
  ])("%s is kept with the warning %s (INV-3, SEC-1)", (setting, code) => {
    expect(lineOf(preview(setting).lines, 1)).toMatchObject({ kind: "env", warnings: [{ code }] });
  });

  it.each([
    ["hello world", "not_an_entry"],
    ["0 2 * * *", "no_command"],
    ["0 2 * * * %only input", "no_command"],
    ["0 2 * *", "four_fields"],
    ["0 2 * * /srv/x arg", "four_fields"],
    ["0 2 * * 8 /srv/x", "cron_out_of_range"],
    ["@every 5m /srv/x", "cron_unknown_nickname"],
    ["0 2 * * * /srv/x \u0000", "control_character"],
    [`0 2 * * * /srv/x ${"y".repeat(9_000)}`, "too_long"],
    [`A=${"y".repeat(9_000)}`, "too_long"],
  ])("%j is refused as %s (INV-3, SEC-3)", (text, code) => {
    expect(lineOf(preview(text).lines, 1).kind).toBe("error");
    expect(reasonsOf(lineOf(preview(text).lines, 1))).toEqual([code]);
  });

  it("six time fields are read as five and warned of (INV-3)", () => {
    expect(offerOf(preview("0 */5 * * * * /srv/x").lines, 1).warnings.map(({ code }) => code)).toContain("six_fields");
  });

  it("a leading - is taken off and told (INV-3)", () => {
    expect(offerOf(preview("-*/15 * * * * /srv/x").lines, 1)).toMatchObject({
      entry: { expression: "*/15 * * * *" },
      notCarriedOver: [{ code: "log_flag" }],
    });
  });

  it("two hundred lines are previewed in well under a second (INV-3)", () => {
    const text = Array.from({ length: 200 }, (_, index) => `${index % 60} ${index % 24} * * * /srv/bin/part-${index}`).join("\n");
    const start = performance.now();
    const { counts } = preview(text, { defaultZone: "America/New_York" });
    expect(counts).toEqual({ offered: 200, ticked: 200, refused: 0 });
    expect(performance.now() - start).toBeLessThan(2_000);
  });

  it("an unknown default zone and a file without end are refused as a whole (SEC-3)", () => {
    expect(() => preview("", { defaultZone: "Mars/Base" })).toThrow(DomainError);
    expect(() => preview("\n".repeat(6_000))).toThrow(/at most 5000/);
  });

  it("any text has one verdict for each line and never throws (INV-3, SEC-3)", () => {
    const piece = fc.oneof(
      fc.constantFrom(
        "* ",
        "*/5 ",
        "0 ",
        "@daily ",
        "CRON_TZ=",
        "A=b",
        "# ",
        "%",
        "\\%",
        "\n",
        "\r\n",
        "\t",
        '"',
        "root ",
        "/srv/x",
        "{{ a }}",
      ),
      fc.string({ unit: "binary", maxLength: 4 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const { lines } = preview(pieces.join(""));
        expect(lines.map(({ line }) => line)).toEqual(lines.map((_, index) => index + 1));
      }),
      { numRuns: 300 },
    );
  });
});
