"use client";
import { useTranslations } from "next-intl";
import { pairsText } from "../model/field-text";
import { EXAMPLES } from "./examples";
import { ChoiceField, StructuredField, TextField } from "./fields";

const HEADERS = pairsText(": ");

interface RequestFieldsProps {
  /** Where the request stands in the node. */
  at: "with" | "check";
  methods: readonly string[];
  /** An address as an example. */
  placeholder: string;
}

/** Method, address and headers of a request that a node sends. */
export function RequestFields({ at, methods, placeholder }: RequestFieldsProps) {
  const t = useTranslations("editor.field");
  return (
    <>
      <div className="grid grid-cols-[6.5rem_1fr] gap-2">
        <ChoiceField path={[at, "method"]} label={t("method.label")} options={methods.map((value) => ({ value, label: value }))} />
        <TextField path={[at, "url"]} label={t("url.label")} placeholder={placeholder} mono templates />
      </div>
      <StructuredField
        kind={HEADERS}
        path={[at, "headers"]}
        label={t("headers.label")}
        hint={t("headers.hint")}
        placeholder={EXAMPLES.headers}
        rows={2}
        optional
        templates
      />
    </>
  );
}
