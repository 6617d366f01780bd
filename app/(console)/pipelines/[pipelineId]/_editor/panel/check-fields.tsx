"use client";
import { useTranslations } from "next-intl";
import { Switch } from "@/app/_ui/switch";
import type { NodeDefinition } from "@/server/domain/pipeline/definition";
import { checkOf } from "@/server/domain/pipeline/node-templates";
import { codesText } from "../model/field-text";
import { EXAMPLES } from "./examples";
import { useFieldScope } from "./field-scope";
import { StructuredField } from "./fields";
import { RequestFields } from "./request-fields";

const NEW = { method: "GET", url: "", found: [200], missing: [404] } as const;
const METHODS = ["GET", "HEAD", "POST"] as const;

/** The call that is asked before a node whose effect may be there already acts again. */
export function CheckFields({ node }: { node: NodeDefinition }) {
  const t = useTranslations("editor.field");
  const scope = useFieldScope();
  if (node.type === "wait") return null;
  const check = checkOf(node);
  return (
    <>
      <div data-field="check">
        <Switch
          checked={check !== undefined}
          disabled={scope.readOnly}
          hint={t("check.hint")}
          onChecked={(on) => {
            scope.set(["check"], on ? structuredClone(NEW) : undefined);
            scope.seal();
          }}
        >
          {t("check.label")}
        </Switch>
      </div>
      {check === undefined ? null : (
        <>
          <RequestFields at="check" methods={METHODS} placeholder={EXAMPLES.check} />
          <div className="grid grid-cols-2 gap-2">
            <StructuredField kind={codesText} path={["check", "found"]} label={t("found.label")} hint={t("found.hint")} placeholder="200" />
            <StructuredField
              kind={codesText}
              path={["check", "missing"]}
              label={t("missing.label")}
              hint={t("missing.hint")}
              placeholder="404"
            />
          </div>
        </>
      )}
    </>
  );
}
