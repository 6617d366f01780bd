"use client";
import { useTranslations } from "next-intl";
import { useEditor } from "../editor-context";
import { numberText, wordsText } from "../model/field-text";
import { EXAMPLES } from "./examples";
import { StructuredField, TextField } from "./fields";

/** Where it runs, what it shares, what it touches. */
export function AdvancedTab() {
  const t = useTranslations("editor.field");
  const { choices } = useEditor();
  return (
    <>
      <TextField path={["group"]} label={t("group.label")} hint={t("group.hint")} mono choices={choices.groups} />
      <div className="grid grid-cols-[7rem_1fr] items-start gap-3">
        <StructuredField kind={numberText} empty={0} path={["priority"]} label={t("priority.label")} />
        <p className="pt-5 text-ink-3 text-meta">{t("priority.hint")}</p>
      </div>
      <TextField path={["module"]} label={t("module.label")} hint={t("module.hint")} placeholder={EXAMPLES.module} mono optional />
      <StructuredField kind={wordsText} empty={[]} path={["reads"]} label={t("reads.label")} placeholder={EXAMPLES.reads} optional />
      <StructuredField
        kind={wordsText}
        empty={[]}
        path={["writes"]}
        label={t("writes.label")}
        hint={t("writes.hint")}
        placeholder={EXAMPLES.writes}
        optional
      />
      <TextField path={["description"]} label={t("description.label")} rows={3} optional />
    </>
  );
}
