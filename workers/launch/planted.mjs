// `npm run planted`: plants one fault after the other in a copy of the tree, and sees that a test tells of each. By hand, since
// it takes minutes: a fault that no test sees, and one whose place is no longer found, end it with 1.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { FAULTS } from "./planted-faults.mjs";
import { runProgram, seconds } from "./steps.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** The tree as it stands, committed or not, beside the same packages. */
function copyTree() {
  const copy = mkdtempSync(join(tmpdir(), "planted-"));
  const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: root, maxBuffer: 2 ** 26 });
  const deleted = execFileSync("git", ["ls-files", "-z", "--deleted"], { cwd: root, maxBuffer: 2 ** 26 });
  const gone = new Set(deleted.toString().split("\0"));
  for (const path of listed.toString().split("\0")) {
    if (path === "" || gone.has(path)) continue;
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    cpSync(join(root, path), join(copy, path));
  }
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  return copy;
}

/** Every place of a fault with the text that stands there now; throws where one is not found exactly once. */
function placesOf(copy, fault) {
  const changed = new Map();
  for (const { file = fault.file, find, plant } of [fault, ...(fault.also ?? [])]) {
    const text = changed.get(file)?.planted ?? readFileSync(join(copy, file), "utf8");
    const found = text.split(find).length - 1;
    if (found !== 1) throw new Error(`${file} has ${found} places like ${JSON.stringify(find)}; say anew where this fault is planted`);
    const sound = changed.get(file)?.sound ?? text;
    changed.set(file, { sound, planted: text.replace(find, () => plant) });
  }
  return changed;
}

/** How many tests of that name failed and passed; none at all is no answer. */
async function play(copy, { project, test, title }) {
  const report = join(copy, "planted-report.json");
  rmSync(report, { force: true });
  const args = ["run", "--project", project, test, "-t", title, "--reporter=json", `--outputFile.json=${report}`, "--retry=0"];
  const vitest = join(copy, "node_modules/vitest/vitest.mjs");
  const { output } = await runProgram(process.execPath, [vitest, ...args], { cwd: copy });
  try {
    const { numFailedTests, numPassedTests } = JSON.parse(readFileSync(report, "utf8"));
    return { failed: numFailedTests, passed: numPassedTests, output };
  } catch {
    return { failed: 0, passed: 0, output };
  }
}

async function judge(copy, fault) {
  const places = placesOf(copy, fault);
  const sound = await play(copy, fault);
  if (sound.failed > 0 || sound.passed === 0) return `its test is not green without it:\n${sound.output.slice(-2_000)}`;
  for (const [file, { planted }] of places) writeFileSync(join(copy, file), planted);
  const planted = await play(copy, fault);
  for (const [file, { sound: text }] of places) writeFileSync(join(copy, file), text);
  return planted.failed > 0 ? null : `no test sees it: ${fault.test}, "${fault.title}" stays green`;
}

const startedMs = performance.now();
const wanted = process.argv.slice(2).join(" ");
const copy = copyTree();
let missed = 0;
try {
  for (const fault of FAULTS.filter(({ name }) => name.includes(wanted))) {
    const trouble = await judge(copy, fault).catch((error) => error.message);
    if (trouble !== null) missed += 1;
    console.log(`${trouble === null ? "seen  " : "MISSED"} ${fault.name}${trouble === null ? "" : `\n       ${trouble}`}`);
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
console.log(`${missed === 0 ? "every planted fault turns its test red" : `${missed} planted faults are not seen`} (${seconds(startedMs)})`);
process.exitCode = missed === 0 ? 0 : 1;
