"use client";
import { useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import { useTranslations } from "next-intl";
import { useTRPC } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import { Input } from "@/app/_ui/input";
import { Segmented } from "@/app/_ui/segmented";
import { Select } from "@/app/_ui/select";
import { AUDIT_NOUNS, type AuditNoun, type AuditSight, isFiltered, NO_FILTERS } from "./audit-filters";

type Scope = "project" | "platform";

interface AuditFilterBarProps {
  projectId: string;
  sight: AuditSight;
  onSight: (sight: AuditSight) => void;
  /** Null for who sees only the project. */
  scope: Scope | null;
  onScope: (scope: Scope) => void;
}

/** Radix takes no empty value, and nobody's id is this. */
const ANY = "\u0000";

export function AuditFilterBar({ projectId, sight, onSight, scope, onScope }: AuditFilterBarProps) {
  const t = useTranslations("audit");
  const trpc = useTRPC();
  const members = useQuery(trpc.members.list.queryOptions({ projectId }));
  const people = (members.data ?? []).map(({ userId, name }) => ({ value: userId, label: name }));
  const others = sight.actor && !people.some(({ value }) => value === sight.actor) ? [{ value: sight.actor, label: sight.actor }] : [];
  return (
    <div className="flex flex-wrap items-center gap-2 px-4 pb-3 md:px-6">
      {scope ? (
        <Segmented<Scope>
          label={t("scope.label")}
          value={scope}
          onValue={onScope}
          options={[
            { value: "project", label: t("scope.project") },
            { value: "platform", label: t("scope.platform") },
          ]}
        />
      ) : null}
      <Select
        label={t("filter.noun")}
        className="w-auto"
        value={sight.noun ?? ANY}
        options={[{ value: ANY, label: t("filter.anyNoun") }, ...AUDIT_NOUNS.map((value) => ({ value, label: t(`noun.${value}`) }))]}
        onValue={(value) => onSight({ ...sight, noun: value === ANY ? null : (value as AuditNoun) })}
      />
      <Select
        label={t("filter.actor")}
        className="w-auto max-w-56"
        value={sight.actor ?? ANY}
        options={[{ value: ANY, label: t("filter.anyActor") }, ...people, ...others]}
        onValue={(value) => onSight({ ...sight, actor: value === ANY ? null : value })}
      />
      <span className="flex items-center gap-1 text-ink-3 text-meta">
        {t("filter.from")}
        <Input
          type="date"
          aria-label={t("filter.from")}
          className="w-36"
          value={sight.from ?? ""}
          onChange={(event) => onSight({ ...sight, from: event.target.value || null })}
        />
        {t("filter.to")}
        <Input
          type="date"
          aria-label={t("filter.to")}
          className="w-36"
          value={sight.to ?? ""}
          onChange={(event) => onSight({ ...sight, to: event.target.value || null })}
        />
      </span>
      {sight.object ? (
        <Button onClick={() => onSight({ ...sight, object: null })} className="max-w-64">
          <span className="truncate">{t("filter.object", { object: sight.object.label })}</span>
          <X size={13} aria-hidden="true" />
        </Button>
      ) : null}
      {isFiltered(sight) ? (
        <Button look="quiet" onClick={() => onSight(NO_FILTERS)}>
          <X size={13} aria-hidden="true" />
          {t("filter.clear")}
        </Button>
      ) : null}
    </div>
  );
}
