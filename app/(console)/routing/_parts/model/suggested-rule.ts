import { fieldsOf, type RuleFields } from "./rule-form";

/** The rule that an address suggests, as the fields of a form that a person still has to send; null where it suggests none. */
export function suggestedRule(read: (name: string) => string): RuleFields | null {
  const [action, code, pipeline, delays] = [read("draft"), read("code"), read("pipeline"), read("delays")];
  if ((action !== "retry" && action !== "fail") || code === "") return null;
  return {
    ...fieldsOf(null),
    ...{
      name: [code, pipeline]
        .filter((each) => each !== "")
        .join(" · ")
        .slice(0, 80),
      pattern: code,
      pipeline,
      action,
    },
    ...(action === "retry" && delays !== "" ? { timing: "listed", delays } : {}),
  };
}

/** What of the address to forget once the form is closed. */
export const NO_SUGGESTION = { draft: null, code: null, pipeline: null, delays: null } as const;
