import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import { link, mkdir, open, readFile, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { DomainError } from "@/server/domain/failure";
import type { Vault } from "@/server/engine/ports";

export interface VaultOptions {
  readonly keyFile: string;
  /** Ids of the keys that sealed what the database holds; a key that is not among them must not be made or used. */
  readonly sealedKeyIds: readonly string[];
}

interface SecretContext {
  readonly projectId: string;
  readonly name: string;
  readonly version: number;
}

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_LINE = /^[A-Za-z0-9+/]{43}=\n?$/;

/** Opens the master key, or makes it on the first start; refuses plainly where stored secrets could not be read. */
export async function openVault(options: VaultOptions): Promise<Vault> {
  const master = (await readKey(options.keyFile)) ?? (await makeKey(options));
  const keyId = createHash("sha256").update("apollo11.key\0").update(master).digest("hex").slice(0, 16);
  const foreign = options.sealedKeyIds.filter((id) => id !== keyId);
  if (foreign.length > 0) {
    throw new DomainError(
      "unavailable",
      `The key in ${options.keyFile} (${keyId}) is not the one that sealed the stored secrets (${foreign.join(", ")}). ` +
        "Put the right key file back, or set APOLLO_SECRET_KEY_FILE to it.",
    );
  }
  return vaultOf(master, keyId);
}

function vaultOf(master: Buffer, keyId: string): Vault {
  return {
    keyId,
    seal(context, value) {
      const bound = boundTo(context);
      const dataKey = randomBytes(KEY_BYTES);
      const nonce = randomBytes(NONCE_BYTES);
      const wrapNonce = randomBytes(NONCE_BYTES);
      return {
        wrappedKey: Buffer.concat([wrapNonce, encrypt(master, wrapNonce, bound, dataKey)]),
        nonce,
        ciphertext: encrypt(dataKey, nonce, bound, Buffer.from(value, "utf8")),
      };
    },
    open(context, sealed) {
      const bound = boundTo(context);
      try {
        const wrapNonce = sealed.wrappedKey.subarray(0, NONCE_BYTES);
        const dataKey = decrypt(master, wrapNonce, bound, sealed.wrappedKey.subarray(NONCE_BYTES));
        return decrypt(dataKey, sealed.nonce, bound, sealed.ciphertext).toString("utf8");
      } catch (cause) {
        throw new DomainError(
          "unavailable",
          `The secret ${context.name} cannot be opened with the key ${keyId}: its row was changed or belongs elsewhere. Set the secret again.`,
          { cause },
        );
      }
    },
  };
}

/** A sealed value is bound to its place: a row copied to another project, name or version does not open. */
const boundTo = ({ projectId, name, version }: SecretContext) => Buffer.from(JSON.stringify([projectId, name, version]), "utf8");

function encrypt(key: Buffer, nonce: Buffer, bound: Buffer, plain: Buffer): Buffer {
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  cipher.setAAD(bound);
  const body = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([cipher.getAuthTag(), body]);
}

function decrypt(key: Buffer, nonce: Buffer, bound: Buffer, sealed: Buffer): Buffer {
  const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(bound);
  decipher.setAuthTag(sealed.subarray(0, TAG_BYTES));
  return Buffer.concat([decipher.update(sealed.subarray(TAG_BYTES)), decipher.final()]);
}

async function readKey(file: string): Promise<Buffer | null> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (cause) {
    if (isCode(cause, "ENOENT")) return null;
    throw new DomainError("unavailable", `The secret key file ${file} cannot be read. Give it to the user that runs Apollo-11.`, { cause });
  }
  if (!KEY_LINE.test(text)) {
    throw new DomainError("unavailable", `${file} does not hold a secret key: 32 bytes in base64 on one line. Put the right file back.`);
  }
  return Buffer.from(text, "base64");
}

async function makeKey(options: VaultOptions): Promise<Buffer> {
  const file = options.keyFile;
  if (options.sealedKeyIds.length > 0) {
    throw new DomainError(
      "unavailable",
      `The secret key file ${file} is missing, and the database holds secrets that only it can open (key ${options.sealedKeyIds.join(", ")}). ` +
        "Put the file back, or set APOLLO_SECRET_KEY_FILE to it. A new key would not open them.",
    );
  }
  const draft = `${file}.${randomBytes(6).toString("hex")}`;
  try {
    await mkdir(dirname(file), { recursive: true });
    const key = randomBytes(KEY_BYTES);
    await writeWhole(draft, `${key.toString("base64")}\n`);
    // A link fails where the file is there already: of processes that start together one makes the key, whole.
    await link(draft, file);
    return key;
  } catch (cause) {
    const another = isCode(cause, "EEXIST") ? await readKey(file) : null;
    if (another) return another;
    throw new DomainError("unavailable", `The secret key file ${file} cannot be made. Give the folder to the user that runs Apollo-11.`, {
      cause,
    });
  } finally {
    await rm(draft, { force: true });
  }
}

async function writeWhole(file: string, text: string): Promise<void> {
  const handle = await open(file, "wx", 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const isCode = (error: unknown, code: string) => error instanceof Error && "code" in error && error.code === code;
