"use client";
import { useTranslations } from "next-intl";
import { Field } from "@/app/_ui/field";
import { Segmented } from "@/app/_ui/segmented";
import type { RetryDefinition } from "@/server/domain/pipeline/definition";
import { durationsText, numberText } from "../model/field-text";
import { EXAMPLES } from "./examples";
import { fieldName, useFieldScope } from "./field-scope";
import { StructuredField } from "./fields";

export const OWN = { retries: 3, delays: ["2500ms", "2m", "4m"], jitter: [0.3, 0.7] } as const;
type Choice = "default" | "none" | "own";

/** How often it is tried again, and when: of a node, or of a pipeline for those of its nodes that say nothing. */
export function RetryFields({ retry, path, hint }: { retry: RetryDefinition; path: readonly string[]; hint?: string }) {
  const t = useTranslations("editor");
  const scope = useFieldScope();
  const choice: Choice = "policy" in retry ? retry.policy : "own";
  const choose = (next: Choice) => {
    if (!scope.readOnly && next !== choice) scope.set(path, next === "own" ? structuredClone(OWN) : { policy: next });
  };
  return (
    <>
      <Field label={t("field.retry.label")} hint={choice === "default" && hint !== undefined ? hint : t(`retry.${choice}.hint`)}>
        <div data-field={fieldName(path)}>
          <Segmented<Choice>
            label={t("field.retry.label")}
            value={choice}
            onValue={choose}
            options={(["default", "own", "none"] as const).map((value) => ({ value, label: t(`retry.${value}.label`) }))}
          />
        </div>
      </Field>
      {choice === "own" ? (
        <div className="grid grid-cols-[5rem_1fr] gap-2">
          <StructuredField kind={numberText} path={[...path, "retries"]} label={t("field.retries.label")} empty={0} />
          <StructuredField
            kind={durationsText}
            path={[...path, "delays"]}
            label={t("field.delays.label")}
            hint={t("field.delays.hint")}
            empty={[]}
            placeholder={EXAMPLES.delays}
          />
        </div>
      ) : null}
    </>
  );
}
