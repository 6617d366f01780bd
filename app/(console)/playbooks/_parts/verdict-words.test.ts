import { expect, it } from "vitest";
import { LOCALES } from "@/app/_words/locales";
import { MESSAGES } from "@/app/_words/messages";
import { CHECK_NAMES, COLUMN_NAMES, VERDICT_WORDS } from "@/server/domain/playbooks/checks";
import { SHIPPED_PLAYBOOKS } from "@/server/domain/playbooks/shipped";

it.each(LOCALES)("in %s every check has a name, each of its verdicts a sentence, and every column a head (INC-4, ECO-2)", (locale) => {
  const { check, verdict, column, shipped } = MESSAGES[locale].playbooks;
  expect(Object.keys(check).sort()).toEqual([...CHECK_NAMES].sort());
  for (const name of CHECK_NAMES) expect(Object.keys(verdict[name]).sort(), name).toEqual([...VERDICT_WORDS[name]].sort());
  expect(Object.keys(column).sort()).toEqual([...COLUMN_NAMES].sort());
  expect(Object.keys(shipped).sort()).toEqual(SHIPPED_PLAYBOOKS.map(({ key }) => key).sort());
});
