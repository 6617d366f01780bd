"use client";
import { useTranslations } from "next-intl";
import type { NodeDefinition } from "@/server/domain/pipeline/definition";
import { CheckFields } from "./check-fields";
import { EXAMPLES } from "./examples";
import { useFieldScope } from "./field-scope";
import { SwitchField, TextField } from "./fields";
import { RetryAdvice, retryOf } from "./retry-advice";
import { OWN, RetryFields } from "./retry-fields";

/** How often it is tried again, and how long each try and all of them may take. */
export function RetryTab({ node }: { node: NodeDefinition }) {
  const t = useTranslations("editor");
  const scope = useFieldScope();
  return (
    <>
      <RetryFields retry={node.retry} path={["retry"]} />
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
