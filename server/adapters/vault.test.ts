import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { DomainError } from "@/server/domain/failure";
import { openVault } from "./vault";

const PLACE = { projectId: "0198c1de-0000-7000-8000-000000000001", name: "api_key", version: 1 };
let folder: string;
const keyFile = () => join(folder, "deep", "secret.key");
const open = (sealedKeyIds: string[] = [], file = keyFile()) => openVault({ keyFile: file, sealedKeyIds });

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "vault-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

test("the first start makes a key file that only its owner can read, and the next start uses the same key (SEC-1)", async () => {
  const first = await open();
  const sealed = first.seal(PLACE, "пароль 密码 🔑");
  expect((await stat(keyFile())).mode & 0o777).toBe(0o600);
  const second = await open([first.keyId]);
  expect(second.keyId).toBe(first.keyId);
  expect(second.open(PLACE, sealed)).toBe("пароль 密码 🔑");
});

test("processes that start together agree on one key (SEC-1)", async () => {
  const vaults = await Promise.all(Array.from({ length: 8 }, () => open()));
  expect(new Set(vaults.map((vault) => vault.keyId)).size).toBe(1);
});

test("the same value is never sealed to the same bytes, and none of them holds it (SEC-1)", async () => {
  const vault = await open();
  const [one, two] = [vault.seal(PLACE, "canary-value"), vault.seal(PLACE, "canary-value")];
  expect(one.ciphertext.equals(two.ciphertext)).toBe(false);
  expect(one.wrappedKey.equals(two.wrappedKey)).toBe(false);
  expect(Buffer.concat([one.ciphertext, one.wrappedKey, one.nonce]).includes("canary-value")).toBe(false);
});

test.each([
  ["project", { projectId: "0198c1de-0000-7000-8000-000000000002" }],
  ["name", { name: "api_key2" }],
  ["version", { version: 2 }],
])("a row copied to another %s does not open (SEC-1)", async (_, moved) => {
  const vault = await open();
  const sealed = vault.seal(PLACE, "value");
  expect(() => vault.open({ ...PLACE, ...moved }, sealed)).toThrow(DomainError);
});

test.each(["ciphertext", "wrappedKey", "nonce"] as const)("a changed %s does not open (SEC-1)", async (part) => {
  const vault = await open();
  const sealed = vault.seal(PLACE, "value");
  const changed = Buffer.from(sealed[part]);
  changed.writeUInt8(changed.readUInt8(0) ^ 1, 0);
  expect(() => vault.open(PLACE, { ...sealed, [part]: changed })).toThrow(/changed or belongs elsewhere/);
});

test("a missing key file is refused while sealed secrets exist, and no new key is made (SEC-1)", async () => {
  await expect(open(["00aa11bb22cc33dd"])).rejects.toThrow(/missing.*00aa11bb22cc33dd/s);
  await expect(stat(keyFile())).rejects.toThrow();
});

test("a wrong key is refused with both key ids named (SEC-1)", async () => {
  const { keyId } = await open();
  await expect(open(["00aa11bb22cc33dd"])).rejects.toThrow(new RegExp(`${keyId}.*00aa11bb22cc33dd`));
});

test.each(["", "short", "x".repeat(44)])("a key file that holds %j is refused and left as it is (SEC-1)", async (text) => {
  const file = join(folder, "broken.key");
  await writeFile(file, text);
  await expect(open([], file)).rejects.toThrow(/does not hold a secret key/);
  expect(await readFile(file, "utf8")).toBe(text);
});
