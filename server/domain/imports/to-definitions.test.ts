import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DomainError } from "../failure";
import { definitionSchema } from "../pipeline/definition";
import { publishIssues } from "../pipeline/publish-issues";
import { renderTemplate } from "../pipeline/render-template";
import { type PreviewOptions, previewCrontab } from "./preview-crontab";
import { tickedLines, toDefinitions } from "./to-definitions";

const OPTIONS: PreviewOptions = { form: "user", defaultZone: "Asia/Shanghai", locale: "en", now: new Date("2026-11-30T00:00:00Z") };
const TARGET = { owner: "night-team", domain: "OPS", enabled: false };
const preview = (text: string) => previewCrontab(text, OPTIONS);
const importAll = (text: string, target: Partial<typeof TARGET & { takenNames: string[] }> = {}) => {
  const shown = preview(text);
  return toDefinitions(shown, tickedLines(shown), { ...TARGET, ...target });
};

describe("pipelines made from a crontab (INV-3)", () => {
  it("an entry becomes one command node under the shell of the file, with its settings, input and schedule (INV-3)", () => {
    const [imported] = importAll("SHELL=/bin/bash\nREGION=eu\nCRON_TZ=Europe/Paris\n30 2 * * 1 cat >> /srv/x%hello", { enabled: true });
    const definition = definitionSchema.parse(imported?.definition);
    expect(definition.metadata).toMatchObject({ name: "cat", title: "cat >> /srv/x", owner: "night-team" });
    expect(definition.spec.schedules).toMatchObject([{ cron: "30 2 * * 1", dialect: "vixie", timezone: "Europe/Paris", enabled: true }]);
    expect(definition.spec.nodes).toMatchObject([
      {
        type: "command",
        with: { argv: ["/bin/bash", "-c", "cat >> /srv/x"], env: { SHELL: "/bin/bash", REGION: "eu" }, stdin: "hello\n" },
      },
    ]);
  });

  it("keeps cron's meaning where it matters: no retry of a command that was not written for it, no ten-minute limit (INV-3)", () => {
    const definition = definitionSchema.parse(importAll("0 2 * * * /srv/bin/payroll")[0]?.definition);
    expect(definition.spec.nodes[0]).toMatchObject({ retry: { policy: "none" }, timeout: "24h", deadline: "24h" });
  });

  it("schedules are made disabled or enabled, as chosen (INV-3)", () => {
    expect(importAll("0 2 * * * /srv/x")[0]?.definition.spec.schedules?.[0]?.enabled).toBe(false);
    expect(importAll("0 2 * * * /srv/x", { enabled: true })[0]?.definition.spec.schedules?.[0]?.enabled).toBe(true);
  });

  it("importing the same file twice names the same origins, so nothing is made twice (INV-3)", () => {
    const text = "0 2 * * * /srv/a\n@daily /srv/b\n0 2 * * * /srv/a";
    const moved = `# a new first line\n${text}`;
    expect(importAll(text).map(({ origin }) => origin)).toEqual(importAll(moved).map(({ origin }) => origin));
    expect(new Set(importAll(text).map(({ origin }) => origin)).size).toBe(2);
  });

  it("two chosen lines that say the same are one pipeline (INV-3)", () => {
    const shown = preview("0 2 * * * /srv/a\n0 2 * * * /srv/a");
    expect(toDefinitions(shown, [{ line: 1 }, { line: 2 }], TARGET)).toHaveLength(1);
  });

  it("the same command at another time, in another zone or with other input is another pipeline (INV-3)", () => {
    expect(importAll("0 2 * * * /srv/a\n0 3 * * * /srv/a\n0 2 * * * /srv/a%in\nCRON_TZ=UTC\n0 2 * * * /srv/a")).toHaveLength(4);
  });

  it("names do not collide with those that are taken, nor with each other (INV-3)", () => {
    const names = importAll("0 2 * * * /srv/a\n0 3 * * * /opt/a", { takenNames: ["a"] }).map(({ definition }) => definition.metadata.name);
    expect(new Set(names).size).toBe(2);
    expect(names).not.toContain("a");
  });

  it("a person may change name, title and zone, and must name a zone where the file has none (INV-3, B06)", () => {
    const shown = preview("CRON_TZ=Mars/Base\n0 1 * * * /srv/nowhere");
    expect(tickedLines(shown)).toEqual([]);
    expect(() => toDefinitions(shown, [{ line: 2 }], TARGET)).toThrow(/line 2: the time zone is empty/);
    const [imported] = toDefinitions(shown, [{ line: 2, zone: "UTC", name: "somewhere", title: "某处" }], TARGET);
    expect(imported?.definition).toMatchObject({
      metadata: { name: "somewhere", title: "某处" },
      spec: { schedules: [{ timezone: "UTC" }] },
    });
  });

  it("a commented line can be chosen (INV-3)", () => {
    const shown = preview("# 0 3 * * * /srv/resting");
    expect(tickedLines(shown)).toEqual([]);
    expect(toDefinitions(shown, [{ line: 1 }], TARGET)).toHaveLength(1);
  });

  it("one line that cannot be imported refuses the whole choice, with its place (SEC-3)", () => {
    const shown = preview("0 2 * * * /srv/a\n60 * * * * /srv/b\n");
    const attempt = () => toDefinitions(shown, [{ line: 1 }, { line: 2 }, { line: 9 }], TARGET);
    expect(attempt).toThrow(DomainError);
    expect(attempt).toThrow(
      expect.objectContaining({
        issues: [expect.objectContaining({ path: "selection[1].line" }), expect.objectContaining({ path: "selection[2].line" })],
      }),
    );
  });
});

describe("what runs is what stood in the file (INV-3, PIP-6)", () => {
  const scope = { params: {}, nodes: {}, run: { id: "r", scheduledAt: null, trigger: "schedule" } };

  it("double braces of a command are its own and no template (INV-3)", () => {
    const command = "docker inspect -f '{{.State.Status}} {{{x}}' web";
    const definition = definitionSchema.parse(importAll(`0 2 * * * ${command}`)[0]?.definition);
    expect(publishIssues(definition)).toEqual([]);
    const rendered = renderTemplate(definition.spec.nodes[0]?.with, scope, { mode: "reference" });
    expect(rendered).toMatchObject({ kind: "rendered", value: { argv: ["/bin/sh", "-c", command] } });
  });

  it("any command can be published and reaches the shell unchanged (INV-3)", () => {
    const signs = fc.constantFrom(..."{}}{ab \"'$()|&;<>#\\/.-=é报🙂".split(/(?:)/u));
    fc.assert(
      fc.property(fc.array(signs, { minLength: 1, maxLength: 40 }), (pieces) => {
        const command = `x${pieces.join("")}`.trim();
        const [imported] = importAll(`0 2 * * * ${command}`);
        const definition = definitionSchema.parse(imported?.definition);
        expect(publishIssues(definition)).toEqual([]);
        const rendered = renderTemplate(definition.spec.nodes[0]?.with, scope, { mode: "reference" });
        expect(rendered).toMatchObject({ kind: "rendered", value: { argv: ["/bin/sh", "-c", command] } });
      }),
      { numRuns: 200 },
    );
  });
});
