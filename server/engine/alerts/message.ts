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
  /** Other places in the product, such as the run and the card of the code. */
  places: z.array(z.object({ label: z.string(), path: z.string() })).default([]),
});
export type AlertMessage = z.output<typeof alertMessageSchema>;

const MOST_LINES = 5;
const LINE_CHARS = 300;
const INPUT_CHARS = 500;
const MOST_ATTEMPTS = 6;
/** People's data goes to no chat: masked before it is cut. */
const masked = textMask([]);

/** What the owner of a failed node wants to see first: how often it was tried, where and with what end, with what inputs, and the last lines (ALT-2). */
export async function nodeFacts(tx: Tx, runId: string, nodeKey: string): Promise<string[]> {
  const tried = await tx
    .select({
      ...{ no: attempts.no, generation: attempts.generation, inputs: attempts.inputs, workerId: attempts.workerId },
      ...{ code: attempts.errorCode, outcome: attempts.outcome, endedAt: attempts.committedAt },
    })
    .from(attempts)
    .where(and(eq(attempts.runId, runId), eq(attempts.nodeKey, nodeKey)))
    .orderBy(desc(attempts.generation), desc(attempts.no))
    .limit(MOST_ATTEMPTS);
  const [last] = tried;
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
  const inputs = last.inputs === null ? null : masked(JSON.stringify(last.inputs));
  const history = [...tried].reverse().map(
    ({ no, workerId, code, outcome, endedAt }) =>
      // In words for people in any zone: the zone stands with the time.
      `attempt ${no}${workerId === null ? "" : ` on ${workerId}`}: ${[code ?? outcome, endedAt?.toISOString()].filter(Boolean).join(" at ")}`,
  );
  return [
    ...history,
    ...(inputs === null || inputs === "{}" ? [] : [`inputs ${cutText(inputs, INPUT_CHARS)}`]),
    ...(chunk?.lines ?? []).slice(-MOST_LINES).map(({ text }) => cutText(masked(text), LINE_CHARS)),
  ];
}

/** Where the owner reads on: the run at its node, and the card of the code. */
export const placesOfAlert = ({ runId, nodeKey, code }: { runId: string | null; nodeKey: string | null; code: string }) => [
  ...(runId === null
    ? []
    : [{ label: "The run", path: `/runs/${runId}${nodeKey === null ? "" : `?node=${encodeURIComponent(nodeKey)}`}` }]),
  { label: "The error code", path: `/codes/${code}` },
];
