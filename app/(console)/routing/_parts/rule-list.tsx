"use client";
import { ArrowDown, ArrowUp, Pencil, Trash2 } from "lucide-react";
import { useTranslations } from "next-intl";
import type { KeyboardEvent, ReactNode } from "react";
import { Badge } from "@/app/_ui/badge";
import { EmptyState } from "@/app/_ui/empty-state";
import { IconButton } from "@/app/_ui/icon-button";
import type { RoutingRule } from "@/server/domain/routing/rule";
import type { DraftRule } from "./views";

interface RuleListProps {
  rules: readonly DraftRule[];
  /** How many failures each has decided on; not there yet for a draft that is asked about. */
  matched: readonly number[] | undefined;
  unmatched: number | undefined;
  /** Left out for whoever may not change them. */
  onMove?: (key: string, by: -1 | 1) => void;
  onEdit?: (rule: DraftRule) => void;
  onRemove?: (key: string) => void;
}

/** The rules in their order. Alt and an arrow move the one that has the focus. */
export function RuleList({ rules, matched, unmatched, onMove, onEdit, onRemove }: RuleListProps) {
  const t = useTranslations("routing");
  const onKey = (event: KeyboardEvent, key: string) => {
    if (!event.altKey || !onMove || (event.key !== "ArrowUp" && event.key !== "ArrowDown")) return;
    event.preventDefault();
    onMove(key, event.key === "ArrowUp" ? -1 : 1);
  };
  if (rules.length === 0) {
    return (
      <EmptyState compact title={t("empty.title")}>
        {t("empty.body")}
      </EmptyState>
    );
  }
  return (
    <section aria-label={t("title")}>
      <ol className="border-t">
        {rules.map((each, index) => (
          <li
            key={each.key}
            onKeyDown={(event) => onKey(event, each.key)}
            className="grid grid-cols-[1.5rem_minmax(0,1fr)_auto] items-start gap-x-3 gap-y-1 border-b py-2"
          >
            <span className="pt-0.5 text-right text-ink-3 text-table tabular-nums">{index + 1}</span>
            <Rule rule={each.rule} matched={<Matched count={matched?.[index]} />} />
            {onMove && onEdit && onRemove ? (
              <span className="flex">
                <IconButton
                  size="sm"
                  label={t("moveUp", { name: each.rule.name })}
                  shortcut="alt+↑"
                  icon={<ArrowUp size={14} aria-hidden="true" />}
                  aria-disabled={index === 0}
                  onClick={() => onMove(each.key, -1)}
                />
                <IconButton
                  size="sm"
                  label={t("moveDown", { name: each.rule.name })}
                  shortcut="alt+↓"
                  icon={<ArrowDown size={14} aria-hidden="true" />}
                  aria-disabled={index === rules.length - 1}
                  onClick={() => onMove(each.key, 1)}
                />
                <IconButton
                  size="sm"
                  label={t("edit", { name: each.rule.name })}
                  icon={<Pencil size={14} aria-hidden="true" />}
                  onClick={() => onEdit(each)}
                />
                <IconButton
                  size="sm"
                  label={t("remove", { name: each.rule.name })}
                  icon={<Trash2 size={14} aria-hidden="true" />}
                  onClick={() => onRemove(each.key)}
                />
              </span>
            ) : null}
          </li>
        ))}
      </ol>
      <p className="flex flex-wrap items-baseline gap-x-3 py-2 pl-9 text-ink-2 text-table">
        <span>{t("rest")}</span>
        <Matched count={unmatched} />
      </p>
    </section>
  );
}

/** One rule as a sentence: what it is called, what it takes, and where that goes. */
export function Rule({ rule, matched }: { rule: RoutingRule; matched?: ReactNode }) {
  const t = useTranslations("routing");
  const { pipeline, label, taskClass, delays } = rule;
  return (
    <div className="min-w-0">
      <p className="flex flex-wrap items-baseline gap-x-3">
        <span className="font-medium text-body">{rule.name}</span>
        {matched}
      </p>
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-ink-2 text-table">
        <Badge mono>{rule.pattern}</Badge>
        {pipeline === undefined ? null : <Badge>{t("only.pipeline", { name: pipeline })}</Badge>}
        {label === undefined ? null : <Badge mono>{`${label.key}=${label.value}`}</Badge>}
        {taskClass === undefined ? null : <Badge>{t(`class.${taskClass}`)}</Badge>}
        <span className="whitespace-nowrap">
          <span aria-hidden="true">{"→ "}</span>
          <span className="font-medium text-ink">{t(`action.${rule.action}.label`)}</span>
        </span>
        {delays === undefined ? null : (
          <span className="font-mono text-meta">
            {"delays" in delays ? delays.delays.join(", ") : t("doubling", { base: delays.base, jitter: delays.jitter })}
          </span>
        )}
      </p>
    </div>
  );
}

function Matched({ count }: { count: number | undefined }) {
  const t = useTranslations("routing");
  return <span className="text-ink-3 text-meta tabular-nums">{count === undefined ? t("counting") : t("matched", { count })}</span>;
}
