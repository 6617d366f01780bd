import { eq } from "drizzle-orm";
import { z } from "zod";
import { projects } from "@/db/schema/access";
import { alertChannels } from "@/db/schema/alerts";
import { channelAccessSchema, shownTarget } from "@/server/domain/alert/channel";
import { GRADES } from "@/server/domain/alert/grade";
import { patternSchema } from "@/server/domain/alert/pattern";
import { DomainError } from "@/server/domain/failure";
import { parseInput } from "@/server/domain/input";
import { authorise } from "@/server/engine/access/authorise";
import { writeAudit } from "@/server/engine/audit/write-audit";
import { actorOf, type Ctx, inTransaction } from "@/server/engine/context";
import { storedNow } from "@/server/engine/stored-clock";
import { type ChannelRow, channelNotFound, findChannel, sealPlace } from "./channel-row";

export const saveChannelSchema = z.strictObject({
  projectId: z.uuid(),
  /** Left out for a new one. */
  id: z.uuid().optional(),
  /** Of the channel that was looked at. */
  revision: z.int().min(1).optional(),
  name: z.string().trim().min(1).max(80),
  /** The mildest grade that it takes. */
  grade: z.enum(GRADES).default("P2"),
  pattern: patternSchema.default("*"),
  enabled: z.boolean().default(true),
  /** Messages in a minute; what is beyond goes as one digest. Null for what is usual of its kind. */
  perMinute: z.int().min(1).max(1_000).nullable().default(null),
  /** What it takes to send; left out, what is sealed stays. It is never read back. */
  access: channelAccessSchema.optional(),
});
export type SaveChannelInput = z.input<typeof saveChannelSchema>;

/** Makes a channel, or changes it; a change that saw an older one is refused. */
export async function saveChannel(ctx: Ctx, input: SaveChannelInput): Promise<{ id: string; revision: number }> {
  const wanted = parseInput(saveChannelSchema, input);
  const { projectId, access, name, grade, pattern, enabled, perMinute } = wanted;
  authorise(ctx, projectId, "channel.manage");
  if (wanted.id === undefined && access === undefined) {
    throw new DomainError("invalid_input", "a new channel needs what it takes to send: its kind and its address", {
      issues: [{ path: "access", code: "missing", message: "say its kind and its address" }],
    });
  }
  const saved = await inTransaction(ctx, async (tx) => {
    await tx.select({ id: projects.id }).from(projects).where(eq(projects.id, projectId)).for("update");
    const before = wanted.id === undefined ? null : await findChannel(tx, wanted.id);
    if (wanted.id !== undefined && before?.projectId !== projectId) throw channelNotFound(wanted.id);
    if (before && wanted.revision !== undefined && wanted.revision !== before.revision) {
      throw new DomainError("stale", `channel "${before.name}" was changed meanwhile. Look at it again.`, {
        details: { id: before.id, revision: before.revision },
      });
    }
    const named = await tx.query.alertChannels.findFirst({
      where: (row, { and, eq: is, isNull }) => and(is(row.projectId, projectId), is(row.name, name), isNull(row.deletedAt)),
    });
    if (named && named.id !== before?.id)
      throw new DomainError("conflict", `there is a channel "${name}" already; give this one another name`);
    const id = before?.id ?? ctx.ids.uuid();
    const sealedVersion = (before?.sealedVersion ?? 0) + (access ? 1 : 0);
    const sealed = access && {
      ...ctx.ports.vault.seal(sealPlace(projectId, id, sealedVersion), JSON.stringify(access)),
      ...{ kind: access.kind, target: shownTarget(access), sealedVersion, keyId: ctx.ports.vault.keyId },
    };
    const row = { name, grade, pattern, enabled, perMinute, ...sealed };
    const revision = (before?.revision ?? 0) + 1;
    if (before)
      await tx
        .update(alertChannels)
        .set({ ...row, revision, limitedUntil: null })
        .where(eq(alertChannels.id, id));
    else if (sealed) {
      const createdAt = await storedNow(ctx, tx);
      await tx.insert(alertChannels).values({ id, projectId, ...row, ...sealed, createdBy: actorOf(ctx.principal).label, createdAt });
    }
    await writeAudit(tx, ctx, {
      projectId,
      verb: before ? "channel.change" : "channel.create",
      object: { kind: "channel", id, label: name },
      before: before && toldOf(before),
      after: {
        name,
        grade,
        pattern,
        enabled,
        perMinute,
        kind: sealed?.kind ?? before?.kind,
        target: sealed?.target ?? before?.target,
        resealed: access !== undefined,
      },
    });
    return { id, revision };
  });
  ctx.ports.live.changed(projectId);
  return saved;
}

const toldOf = ({ name, grade, pattern, enabled, perMinute, kind, target }: ChannelRow) => ({
  ...{ name, grade, pattern, enabled, perMinute, kind, target },
});
