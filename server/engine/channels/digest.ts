import { gradeRank } from "@/server/domain/alert/grade";
import type { AlertMessage } from "@/server/engine/alerts/message";

/** Many messages as one, of the gravest grade, with a line of each, the gravest first; the same whenever it is made of the same. */
export function digestOf(messages: readonly AlertMessage[]): AlertMessage {
  const inOrder = [...messages].sort(
    (a, b) => gradeRank(a.grade) - gradeRank(b.grade) || (a.no ?? 0) - (b.no ?? 0) || a.at.localeCompare(b.at),
  );
  const [gravest] = inOrder;
  if (!gravest) throw new Error("a digest of nothing");
  const lines = inOrder.map(
    ({ grade, no, title, code, because }) => `[${grade}] #${no} ${title} (${code})${because ? `, ${because}` : ""}`,
  );
  return {
    ...gravest,
    ...{ kind: "digest", alertId: null, no: null, title: `${messages.length} alerts together`, code: "", object: "", owner: null },
    ...{ message: "The channel takes no more messages in a minute, so these come as one.", count: messages.length, because: null },
    ...{ path: "/alerts", actionRequired: null, facts: lines },
  };
}
