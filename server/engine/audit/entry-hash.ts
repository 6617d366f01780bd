import { createHash } from "node:crypto";
import { canonicalJson } from "@/server/domain/canonical-json";

/** What a row of the chain vouches for: every column but the hash itself. */
export interface ChainedRow {
  readonly id: string;
  readonly projectId: string | null;
  readonly seq: number;
  readonly at: Date;
  readonly actorKind: string;
  readonly actorId: string;
  readonly actorLabel: string;
  readonly verb: string;
  readonly objectKind: string;
  readonly objectId: string;
  readonly objectLabel: string;
  readonly reason: string | null;
  readonly before: unknown;
  readonly after: unknown;
  readonly source: unknown;
  readonly requestId: string;
  readonly prevHash: string;
}

/** What stands before the first row of a chain. */
export const GENESIS_HASH = "0".repeat(64);

export const auditScope = (projectId: string | null): string => projectId ?? "platform";

/** SHA-256 of the hash before and the canonical JSON of the row. */
export function entryHash(row: ChainedRow): string {
  const {
    id,
    projectId,
    seq,
    at,
    actorKind,
    actorId,
    actorLabel,
    verb,
    objectKind,
    objectId,
    objectLabel,
    reason,
    before,
    after,
    source,
    requestId,
  } = row;
  const content = {
    id,
    projectId,
    seq,
    at,
    actorKind,
    actorId,
    actorLabel,
    verb,
    objectKind,
    objectId,
    objectLabel,
    reason,
    before,
    after,
    source,
    requestId,
  };
  return createHash("sha256").update(row.prevHash).update(canonicalJson(content)).digest("hex");
}
