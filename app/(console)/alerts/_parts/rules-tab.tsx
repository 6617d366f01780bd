"use client";
import { useQuery } from "@tanstack/react-query";
import { ArrowDown, ArrowUp, Plus, Trash2 } from "lucide-react";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { Badge } from "@/app/_ui/badge";
import { Button } from "@/app/_ui/button";
import { EmptyState } from "@/app/_ui/empty-state";
import { IconButton } from "@/app/_ui/icon-button";
import { Mono } from "@/app/_ui/mono";
import { Panel } from "@/app/_ui/panel";
import { Table } from "@/app/_ui/table";
import type { Column } from "@/app/_ui/table-column";
import { Time } from "@/app/_ui/time";
import { GradeMark } from "../../_grades/grade-mark";
import { QueryState } from "../../_query/query-state";
import { ClassPanel } from "./class-panel";
import { InhibitionPanel } from "./inhibition-panel";
import { RuleDialog } from "./rule-dialog";
import { TabTop } from "./tab-top";
import { type PolicySaver, usePolicySaver } from "./use-policy";
import { useRuleName } from "./use-rule-name";
import type { Policy, PolicyPart, Rule } from "./views";
import { WindowPanel } from "./window-panel";

/** What grades, what is made mild by its hour, and what follows from what. */
export function RulesTab({ projectId, may }: { projectId: string; may: boolean }) {
  const t = useTranslations("alerts.rules");
  const trpc = useTRPC();
  const found = useQuery(trpc.alerts.policy.queryOptions({ projectId }));
  return (
    <QueryState query={found}>
      {({ policy, revision, savedBy, savedAt }) => {
        const part = { projectId, policy, revision, may };
        return (
          <>
            <TabTop>
              {t("lead")}{" "}
              <span className="text-ink-3">
                {savedAt ? (
                  <>
                    {t("savedBy", { revision, by: savedBy ?? "" })} <Time at={savedAt} />
                  </>
                ) : (
                  t("shipped")
                )}
              </span>
            </TabTop>
            <div className="flex flex-col gap-6 px-4 pb-8 md:px-6">
              <RulePanel {...part} />
              <InhibitionPanel {...part} />
              <WindowPanel {...part} />
              <ClassPanel {...part} />
            </div>
          </>
        );
      }}
    </QueryState>
  );
}

function RulePanel({ projectId, policy, revision, may }: PolicyPart) {
  const t = useTranslations("alerts.rules");
  const [editing, setEditing] = useState<Rule | "new" | null>(null);
  const saver = usePolicySaver(projectId, revision, () => setEditing(null));
  const put = (rules: Policy["rules"]) => saver.save({ ...policy, rules });
  const columns = useRuleColumns(policy, may, saver, put);
  return (
    <Panel
      title={t("rules")}
      note={t("rulesNote")}
      actions={
        may ? (
          <Button size="sm" onClick={() => setEditing("new")}>
            <Plus size={13} aria-hidden="true" />
            {t("add")}
          </Button>
        ) : null
      }
    >
      {saver.error && editing === null ? <p className="py-2 text-state-failed text-table">{saver.error}</p> : null}
      <Table
        label={t("rules")}
        columns={columns}
        rows={policy.rules}
        keyOf={(rule) => rule.id}
        {...(may ? { onOpen: (rule: Rule) => setEditing(rule) } : {})}
        empty={
          <EmptyState compact className="px-0 py-3 md:px-0" title={t("noRules")}>
            {t("noRulesBody")}
          </EmptyState>
        }
      />
      {editing === null ? null : (
        <RuleDialog
          projectId={projectId}
          rule={editing === "new" ? null : editing}
          policy={policy}
          saver={saver}
          onClose={() => setEditing(null)}
          policyWith={(rule) => ({
            ...policy,
            rules: editing === "new" ? [...policy.rules, rule] : policy.rules.map((each) => (each.id === rule.id ? rule : each)),
          })}
          onSave={saver.save}
        />
      )}
    </Panel>
  );
}

function useRuleColumns(policy: Policy, may: boolean, saver: PolicySaver, put: (rules: Policy["rules"]) => void): readonly Column<Rule>[] {
  const t = useTranslations("alerts.rules");
  const words = useTranslations("alerts.actions");
  const nameOf = useRuleName();
  const { rules } = policy;
  return [
    {
      key: "no",
      head: "",
      name: t("order"),
      width: "2.5rem",
      from: "sm",
      cell: (rule) => <span className="text-ink-3 tabular-nums">{rules.indexOf(rule) + 1}</span>,
    },
    {
      key: "name",
      head: t("name"),
      cell: (rule) => (
        <span className="flex min-w-0 items-center gap-2">
          <span className="min-w-0 truncate font-medium">{nameOf(rule)}</span>
          {rule.enabled ? null : <Badge>{t("off")}</Badge>}
        </span>
      ),
    },
    { key: "pattern", head: t("pattern"), width: "min(16rem, 34vw)", cell: (rule) => <Mono>{rule.pattern}</Mono> },
    { key: "grade", head: t("grade"), width: "min(9rem, 16vw)", cell: (rule) => <GradeMark grade={rule.grade} /> },
    {
      key: "todo",
      head: t("todo"),
      width: "14rem",
      from: "lg",
      cell: (rule) =>
        rule.actionRequired ? (
          <span>
            {words(rule.actionRequired.action)} <span className="text-ink-3">{rule.actionRequired.target}</span>
          </span>
        ) : (
          <span className="text-ink-3">{"–"}</span>
        ),
    },
    ...(may
      ? [
          {
            key: "act",
            head: "",
            name: t("order"),
            width: "6.5rem",
            from: "sm" as const,
            align: "end" as const,
            cell: (rule: Rule) => <RuleButtons rule={rule} rules={rules} busy={saver.busy} put={put} />,
          },
        ]
      : []),
  ];
}

interface RuleButtonsProps {
  rule: Rule;
  rules: Policy["rules"];
  busy: boolean;
  put: (rules: Policy["rules"]) => void;
}

function RuleButtons({ rule, rules, busy, put }: RuleButtonsProps) {
  const t = useTranslations("alerts.rules");
  const at = rules.indexOf(rule);
  const swap = (to: number) =>
    put(rules.map((rule, index) => (index === at ? (rules[to] ?? rule) : index === to ? (rules[at] ?? rule) : rule)));
  return (
    <span className="inline-flex">
      <IconButton
        size="sm"
        label={t("up", { name: rule.name })}
        disabled={at === 0 || busy}
        icon={<ArrowUp size={13} aria-hidden="true" />}
        onClick={() => swap(at - 1)}
      />
      <IconButton
        size="sm"
        label={t("down", { name: rule.name })}
        disabled={at === rules.length - 1 || busy}
        icon={<ArrowDown size={13} aria-hidden="true" />}
        onClick={() => swap(at + 1)}
      />
      <IconButton
        size="sm"
        label={t("removeName", { name: rule.name })}
        disabled={busy}
        icon={<Trash2 size={13} aria-hidden="true" />}
        onClick={() => put(rules.filter((each) => each.id !== rule.id))}
      />
    </span>
  );
}
