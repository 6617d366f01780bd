import { gradeRank } from "@/server/domain/alert/grade";
import type { AlertMessage } from "@/server/engine/alerts/message";

/** Many messages as one, of the gravest grade, with a line of each. */
export function digestOf(messages: readonly AlertMessage[]): AlertMessage {
  const [gravest] = [...messages].sort((a, b) => gradeRank(a.grade) - gradeRank(b.grade));
  if (!gravest) throw new Error("a digest of nothing");
  const lines = messages.map(
    ({ grade, no, title, code, because }) => `[${grade}] #${no} ${title} (${code})${because ? `, ${because}` : ""}`,
  );
  return {
    ...gravest,
    ...{ kind: "digest", alertId: null, no: null, title: `${messages.length} alerts together`, code: "", object: "", owner: null },
    ...{ message: "The channel asked for fewer messages, so these come as one.", count: messages.length, because: null, path: "/alerts" },
    ...{ actionRequired: null, facts: lines, places: [] },
  };
}
