"use client";
import { Copy, Trash2 } from "lucide-react";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { IconButton } from "@/app/_ui/icon-button";
import { NodeTypeIcon } from "@/app/_ui/node-type-icon";
import { Tabs } from "@/app/_ui/tabs";
import type { NodeDefinition } from "@/server/domain/pipeline/definition";
import { useEditor } from "../editor-context";
import { getIn } from "../model/set-in";
import { AdvancedTab } from "./advanced-tab";
import { type FieldScope, FieldScopeContext } from "./field-scope";
import { TextField } from "./fields";
import { KeyField } from "./key-field";
import { OrderTab } from "./order-tab";
import { RetryTab } from "./retry-tab";
import { TaskTab } from "./task-tab";

const TABS = ["task", "order", "retry", "advanced"] as const;
type TabName = (typeof TABS)[number];

/** The tab that holds a field, so that a problem can lead to it. */
export function tabOf(field: string): TabName {
  const [head = ""] = field.split(/[.[]/);
  if (["needs", "join", "fallback", "compensate"].includes(head)) return "order";
  if (["retry", "timeout", "deadline", "idempotent", "check"].includes(head)) return "retry";
  return head === "with" || head === "title" || head === "key" || head === "" ? "task" : "advanced";
}

function useNodeScope(node: NodeDefinition): FieldScope {
  const { run, dispatch, problemsOf, readOnly } = useEditor();
  return {
    id: node.key,
    get: (path) => getIn(node, path),
    set: (path, value) => run({ kind: "edit_node", key: node.key, path, value }),
    seal: () => dispatch({ type: "seal" }),
    problems: problemsOf.get(node.key) ?? [],
    readOnly,
  };
}

/** The form of one node, made from its type. */
export function NodeForm({ node, several }: { node: NodeDefinition; several: boolean }) {
  const t = useTranslations("editor");
  const { run, jump, readOnly, view } = useEditor();
  const scope = useNodeScope(node);
  const [chosen, setChosen] = useState<{ tab: TabName; jump: number }>({ tab: "task", jump: 0 });
  const led = jump !== null && jump.nodeKey === node.key && jump.field !== null && jump.number > chosen.jump ? tabOf(jump.field) : null;
  const tab = led ?? chosen.tab;
  const count = (name: TabName) => scope.problems.filter((problem) => tabOf(problem.field) === name).length;
  const content = {
    task: <TaskTab node={node} />,
    order: <OrderTab node={node} />,
    retry: <RetryTab node={node} />,
    advanced: <AdvancedTab />,
  };

  return (
    <FieldScopeContext value={scope}>
      <div className="flex min-h-0 flex-1 flex-col">
        <header className="flex flex-col gap-2.5 px-4 pt-3 pb-1">
          <div className="flex items-center gap-2 text-ink-3 text-meta">
            <NodeTypeIcon type={node.type} size={14} />
            <span className="min-w-0 flex-1 truncate">{several ? t("panel.several") : t(`kind.${node.type}.name`)}</span>
            {readOnly ? null : (
              <>
                <IconButton
                  size="sm"
                  label={t("panel.duplicate")}
                  shortcut="⌘D"
                  icon={<Copy size={13} aria-hidden="true" />}
                  onClick={() => run({ kind: "duplicate_nodes", keys: [node.key], after: view === "sequence" ? node.key : null })}
                />
                <IconButton
                  size="sm"
                  label={t("panel.delete")}
                  shortcut="Del"
                  icon={<Trash2 size={13} aria-hidden="true" />}
                  onClick={() => run({ kind: "delete_nodes", keys: [node.key], heal: view === "sequence" })}
                />
              </>
            )}
          </div>
          <div className="grid grid-cols-[1fr_8.5rem] gap-2">
            <TextField path={["title"]} label={t("field.title.label")} placeholder={node.key} optional />
            <KeyField node={node} />
          </div>
        </header>
        <Tabs<TabName>
          label={t("panel.label")}
          value={tab}
          onValue={(next) => setChosen({ tab: next, jump: jump?.number ?? 0 })}
          className="flex-1 [&>[role=tablist]]:px-4"
          contentClassName="overflow-y-auto px-4 py-4"
          tabs={TABS.map((name) => ({
            value: name,
            label: t(`tab.${name}`),
            count: count(name) > 0 ? <span className="text-state-failed">{count(name)}</span> : undefined,
            content: <div className="flex flex-col gap-4">{content[name]}</div>,
          }))}
        />
      </div>
    </FieldScopeContext>
  );
}
