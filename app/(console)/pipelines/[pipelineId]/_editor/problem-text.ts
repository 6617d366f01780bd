import { useTranslations } from "next-intl";
import type { DefinitionIssue } from "@/server/domain/pipeline/issue";

type Values = Record<string, string | number>;

/** An issue in the interface's language; one that has no words there yet speaks for itself. */
export function useProblemText(): (issue: DefinitionIssue) => string {
  const t = useTranslations("editor.problem");
  const fields = useTranslations("editor.cronField");
  const named = (values: Values): Values => {
    const field = String(values.field ?? "").replaceAll(" ", "_");
    return fields.has(field as never) ? { ...values, field: fields(field as never) } : values;
  };
  return ({ code, message, values }) => {
    if (!t.has(code as never)) return message.charAt(0).toUpperCase() + message.slice(1);
    return t(code as never, named({ ...values }) as never);
  };
}
