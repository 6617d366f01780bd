import { scrypt, timingSafeEqual } from "node:crypto";

const COST = { N: 16_384, r: 16, p: 1, maxmem: 64 * 1024 * 1024 };
const LENGTH = 64;

const derive = (password: string, salt: string) =>
  new Promise<Buffer>((resolve, reject) => {
    // NFKC: the same password typed on another keyboard is the same password.
    scrypt(password.normalize("NFKC"), salt, LENGTH, COST, (error, key) => (error ? reject(error) : resolve(key)));
  });

/** `salt:key` in hex; the salt comes from the caller, since randomness does. */
export async function hashPassword(password: string, salt: string): Promise<string> {
  return `${salt}:${(await derive(password, salt)).toString("hex")}`;
}

export async function verifyPassword(hash: string, password: string): Promise<boolean> {
  const [salt, key] = hash.split(":");
  if (!salt || !key) return false;
  const stored = Buffer.from(key, "hex");
  return stored.length === LENGTH && timingSafeEqual(stored, await derive(password, salt));
}
