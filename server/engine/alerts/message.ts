import { and, desc, eq } from "drizzle-orm";
import { z } from "zod";
import type { Tx } from "@/db/client";
import { attempts, logChunks } from "@/db/schema/runs";
import { GRADES } from "@/server/domain/alert/grade";
import { textMask } from "@/server/domain/errors/mask-text";
import { cutText } from "./cut-text";

/** What a person is told of an alert; kept in the outbox as it was when it was decided, and put into each channel's form when it is sent. */
export const alertMessageSchema = z.object({
  kind: z.enum(["alert", "test", "digest"]),
  alertId: z.string().nullable(),
  no: z.number().nullable(),
  grade: z.enum(GRADES),
  project: z.string(),
  title: z.string(),
  code: z.string(),
  message: z.string(),
  object: z.string(),
  owner: z.string().nullable(),
  count: z.number(),
  /** Why it is told now, where it is not for the first time. */
  because: z.string().nullable(),
  at: z.string(),
  /** Below the product's own address. */
  path: z.string(),
  actionRequired: z.object({ action: z.string(), target: z.string() }).nullable(),
  /** Lines of evidence: what was checked, the attempts, the last lines of the log. */
  facts: z.array(z.string()),
});
export type AlertMessage = z.output<typeof alertMessageSchema>;

const MOST_LINES = 5;
const LINE_CHARS = 300;
const INPUT_CHARS = 500;

/** What the owner of a failed node wants to see first: how often it was tried, with what, and the last lines (ALT-2). */
export async function nodeFacts(tx: Tx, runId: string, nodeKey: string): Promise<string[]> {
  const ofNode = and(eq(attempts.runId, runId), eq(attempts.nodeKey, nodeKey));
  const [last] = await tx
    .select({
      no: attempts.no,
      generation: attempts.generation,
      inputs: attempts.inputs,
      workerId: attempts.workerId,
      code: attempts.errorCode,
    })
    .from(attempts)
    .where(ofNode)
    .orderBy(desc(attempts.generation), desc(attempts.no))
    .limit(1);
  if (!last) return [];
  const [chunk] = await tx
    .select({ lines: logChunks.lines })
    .from(logChunks)
    .where(
      and(
        eq(logChunks.runId, runId),
        eq(logChunks.nodeKey, nodeKey),
        eq(logChunks.generation, last.generation),
        eq(logChunks.attemptNo, last.no),
      ),
    )
    .orderBy(desc(logChunks.chunk))
    .limit(1);
  // People's data goes to no chat: masked before it is cut.
  const inputs = last.inputs === null ? null : textMask([])(JSON.stringify(last.inputs));
  return [
    `attempt ${last.no}${last.workerId === null ? "" : ` on ${last.workerId}`}`,
    ...(inputs === null || inputs === "{}" ? [] : [`inputs ${cutText(inputs, INPUT_CHARS)}`]),
    ...(chunk?.lines ?? []).slice(-MOST_LINES).map(({ text }) => cutText(text, LINE_CHARS)),
  ];
}
