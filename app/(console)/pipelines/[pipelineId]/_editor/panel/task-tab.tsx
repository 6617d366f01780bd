"use client";
import { useTranslations } from "next-intl";
import { Segmented } from "@/app/_ui/segmented";
import type { NodeDefinition } from "@/server/domain/pipeline/definition";
import { useEditor } from "../editor-context";
import { codesText, jsonText, linesText, looksLikeBrokenJson, pairsText } from "../model/field-text";
import { EXAMPLES } from "./examples";
import { useFieldScope } from "./field-scope";
import { StructuredField, TextField } from "./fields";
import { RequestFields } from "./request-fields";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"] as const;
const VARIABLES = pairsText("=");

function HttpForm({ method }: { method: string }) {
  const t = useTranslations("editor.field");
  const caution = (value: unknown) => (looksLikeBrokenJson(value) ? t("body.broken") : undefined);
  return (
    <>
      <RequestFields at="with" methods={METHODS} placeholder={EXAMPLES.url} />
      {method === "GET" || method === "HEAD" ? null : (
        <StructuredField
          kind={jsonText}
          path={["with", "body"]}
          label={t("body.label")}
          hint={t("body.hint")}
          caution={caution}
          placeholder={EXAMPLES.body}
          rows={5}
          optional
          templates
        />
      )}
      <StructuredField
        kind={codesText}
        path={["with", "accept"]}
        label={t("accept.label")}
        hint={t("accept.hint")}
        placeholder={EXAMPLES.codes}
        optional
      />
    </>
  );
}

function CommandForm() {
  const t = useTranslations("editor.field");
  return (
    <>
      <StructuredField
        kind={linesText}
        empty={[]}
        path={["with", "argv"]}
        label={t("argv.label")}
        hint={t("argv.hint")}
        placeholder={EXAMPLES.argv}
        rows={4}
        templates
      />
      <StructuredField
        kind={VARIABLES}
        path={["with", "env"]}
        label={t("env.label")}
        hint={t("env.hint")}
        placeholder={EXAMPLES.variables}
        rows={2}
        optional
        templates
      />
      <TextField path={["with", "cwd"]} label={t("cwd.label")} hint={t("cwd.hint")} mono optional templates />
      <TextField path={["with", "stdin"]} label={t("stdin.label")} rows={2} mono optional templates />
    </>
  );
}

function HandlerForm() {
  const t = useTranslations("editor.field");
  const { choices } = useEditor();
  const caution = (value: unknown) => (looksLikeBrokenJson(value) ? t("input.broken") : undefined);
  return (
    <>
      <TextField
        path={["with", "task"]}
        label={t("task.label")}
        hint={t("task.hint")}
        placeholder={EXAMPLES.task}
        mono
        choices={choices.tasks}
      />
      <StructuredField
        kind={jsonText}
        path={["with", "input"]}
        label={t("input.label")}
        hint={t("input.hint")}
        caution={caution}
        placeholder={EXAMPLES.input}
        rows={6}
        optional
        templates
      />
    </>
  );
}

function WaitForm({ until }: { until: boolean }) {
  const t = useTranslations("editor.field");
  const scope = useFieldScope();
  return (
    <>
      <Segmented<"for" | "until">
        label={t("wait.label")}
        value={until ? "until" : "for"}
        onValue={(next) => {
          if (!scope.readOnly) scope.set(["with"], next === "for" ? { for: "5m" } : { until: "" });
        }}
        options={[
          { value: "for", label: t("wait.for") },
          { value: "until", label: t("wait.until") },
        ]}
        className="self-start"
      />
      {until ? (
        <TextField path={["with", "until"]} label={t("until.label")} hint={t("until.hint")} placeholder={EXAMPLES.instant} mono templates />
      ) : (
        <TextField
          path={["with", "for"]}
          label={t("for.label")}
          hint={t("for.hint")}
          placeholder={EXAMPLES.short}
          mono
          className="max-w-40"
        />
      )}
    </>
  );
}

/** What the node does: the fields of its type. */
export function TaskTab({ node }: { node: NodeDefinition }) {
  switch (node.type) {
    case "http":
      return <HttpForm method={node.with.method} />;
    case "command":
      return <CommandForm />;
    case "handler":
      return <HandlerForm />;
    case "wait":
      return <WaitForm until={"until" in node.with} />;
  }
}
