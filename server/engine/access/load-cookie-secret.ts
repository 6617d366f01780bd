import { eq } from "drizzle-orm";
import { settings } from "@/db/schema/platform";
import { DomainError } from "@/server/domain/failure";
import type { Ctx } from "@/server/engine/context";

const KEY = "access.cookieSecret";
const PLACE = { projectId: "platform", name: KEY, version: 1 };
const SECRET_BYTES = 32;

interface Sealed {
  readonly wrappedKey: string;
  readonly nonce: string;
  readonly ciphertext: string;
}

/** What signs the cookies of this installation: made once, sealed by the master key, the same for every web process. */
export async function loadCookieSecret(ctx: Pick<Ctx, "db" | "ids" | "ports" | "log">): Promise<string> {
  const known = await read(ctx);
  if (known) return known;
  const sealed = ctx.ports.vault.seal(PLACE, ctx.ids.randomHex(SECRET_BYTES));
  const value = Object.fromEntries(Object.entries(sealed).map(([name, bytes]) => [name, bytes.toString("base64")]));
  await ctx.db.insert(settings).values({ key: KEY, value }).onConflictDoNothing();
  const made = await read(ctx);
  if (!made) throw new Error("the cookie secret was neither made nor found");
  return made;
}

async function read(ctx: Pick<Ctx, "db" | "ports" | "log">): Promise<string | null> {
  const [row] = await ctx.db.select().from(settings).where(eq(settings.key, KEY));
  if (!row) return null;
  const { wrappedKey, nonce, ciphertext } = row.value as Sealed;
  const bytes = (text: string) => Buffer.from(text, "base64");
  try {
    return ctx.ports.vault.open(PLACE, { wrappedKey: bytes(wrappedKey), nonce: bytes(nonce), ciphertext: bytes(ciphertext) });
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    // Another master key: nothing is lost but sessions, so a new secret takes its place.
    ctx.log.warn({ reason: error.message }, "the cookie secret does not open: everybody signs in again");
    await ctx.db.delete(settings).where(eq(settings.key, KEY));
    return null;
  }
}
