"use client";
import { useTranslations } from "next-intl";
import { Field } from "@/app/_ui/field";
import { Segmented } from "@/app/_ui/segmented";
import type { NodeDefinition } from "@/server/domain/pipeline/definition";
import { durationsText, numberText } from "../model/field-text";
import { CheckFields } from "./check-fields";
import { EXAMPLES } from "./examples";
import { useFieldScope } from "./field-scope";
import { StructuredField, SwitchField, TextField } from "./fields";
import { RetryAdvice, retryOf } from "./retry-advice";

const OWN = { retries: 3, delays: ["2500ms", "2m", "4m"], jitter: [0.3, 0.7] } as const;
type Choice = "default" | "none" | "own";

/** How often it is tried again, and how long each try and all of them may take. */
export function RetryTab({ node }: { node: NodeDefinition }) {
  const t = useTranslations("editor");
  const scope = useFieldScope();
  const choice: Choice = "policy" in node.retry ? node.retry.policy : "own";
  const choose = (next: Choice) => {
    if (!scope.readOnly && next !== choice) scope.set(["retry"], next === "own" ? structuredClone(OWN) : { policy: next });
  };
  return (
    <>
      <Field label={t("field.retry.label")} hint={t(`retry.${choice}.hint`)}>
        <div data-field="retry">
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
          <StructuredField kind={numberText} path={["retry", "retries"]} label={t("field.retries.label")} empty={0} />
          <StructuredField
            kind={durationsText}
            path={["retry", "delays"]}
            label={t("field.delays.label")}
            hint={t("field.delays.hint")}
            empty={[]}
            placeholder={EXAMPLES.delays}
          />
        </div>
      ) : null}
      <RetryAdvice
        node={node}
        onTake={(suggestion) => scope.set(["retry"], retryOf(suggestion, "retries" in node.retry ? node.retry.retries : OWN.retries))}
      />
      <div className="grid grid-cols-2 gap-2">
        <TextField path={["timeout"]} label={t("field.timeout.label")} hint={t("field.timeout.hint")} mono placeholder={EXAMPLES.timeout} />
        <TextField
          path={["deadline"]}
          label={t("field.deadline.label")}
          hint={t("field.deadline.hint")}
          mono
          placeholder={EXAMPLES.deadline}
        />
      </div>
      <SwitchField path={["idempotent"]} label={t("field.idempotent.label")} hint={t("field.idempotent.hint")} />
      <CheckFields node={node} />
    </>
  );
}
