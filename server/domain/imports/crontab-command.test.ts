import { describe, expect, it } from "vitest";
import { splitCommand, trailingComment, withoutComment } from "./crontab-command";

describe("command and standard input of an entry (INV-3)", () => {
  it.each([
    ["date +\\%F", "date +%F", null],
    ["mail -s x a@example.com%one%two", "mail -s x a@example.com", "one\ntwo\n"],
    ["cat%", "cat", ""],
    ["cat%one%", "cat", "one\n"],
    ["cat%100\\% sure", "cat", "100% sure\n"],
    ["printf 'a\\nb\\n' | cat", "printf 'a\\nb\\n' | cat", null],
    ["echo \\\\%tail", "echo \\\\", "tail\n"],
    ["echo \\", "echo \\", null],
    ["echo 'a%b'", "echo 'a", "b'\n"],
  ])("%j gives the shell %j and standard input %j, as cron does (INV-3)", (text, command, stdin) => {
    expect(splitCommand(text)).toEqual({ command, stdin });
  });

  it.each([
    ["/srv/x   # note", "# note"],
    ["# all", "# all"],
    ["/srv/x#no", null],
    ["echo '# no'", null],
    ['echo "# no"', null],
    ['echo "\\" # no"', null],
    ["echo \\# no", null],
    ["echo $# # yes", "# yes"],
  ])("%j holds the trailing comment %j (INV-3)", (command, comment) => {
    expect(trailingComment(command)).toBe(comment);
  });

  it("a title leaves the comment out, the command keeps it (INV-3)", () => {
    expect(withoutComment("/srv/x\t\t# note")).toBe("/srv/x");
    expect(splitCommand("/srv/x # note").command).toBe("/srv/x # note");
  });
});
