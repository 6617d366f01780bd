"use client";
import { X } from "lucide-react";
import { useTranslations } from "next-intl";
import { Button } from "@/app/_ui/button";
import { SearchInput } from "@/app/_ui/search-input";
import { Select } from "@/app/_ui/select";
import { isFiltered, LAST_RUNS, type LastRun, type PipelineFilters, STANDINGS, type Standing } from "./model/pipeline-filters";

interface PipelineFilterBarProps {
  filters: PipelineFilters;
  onFilters: (filters: PipelineFilters) => void;
  owners: readonly string[];
  /** Beside the filters: how many are shown. */
  count: string;
}

/** Radix takes no empty value, and no owner is called so. */
const ANY = "\u0000";

export function PipelineFilterBar({ filters, onFilters, owners, count }: PipelineFilterBarProps) {
  const t = useTranslations("pipelines.filter");
  const choice = <V extends string>(all: readonly V[], word: (value: V) => string, any: string) => [
    { value: ANY, label: any },
    ...all.map((value) => ({ value, label: word(value) })),
  ];
  const read = <V extends string>(value: string): V | null => (value === ANY ? null : (value as V));
  return (
    <div className="flex flex-wrap items-center gap-2 px-4 pb-3 md:px-6">
      <SearchInput
        main
        label={t("search")}
        value={filters.search}
        onValue={(search) => onFilters({ ...filters, search })}
        className="w-full sm:w-80"
      />
      <Select
        label={t("last")}
        className="w-auto"
        value={filters.last ?? ANY}
        options={choice(LAST_RUNS, (each) => t(`lastRun.${each}`), t("anyLast"))}
        onValue={(value) => onFilters({ ...filters, last: read<LastRun>(value) })}
      />
      <Select
        label={t("standing")}
        className="w-auto"
        value={filters.standing ?? ANY}
        options={choice(STANDINGS, (each) => t(`stands.${each}`), t("anyStanding"))}
        onValue={(value) => onFilters({ ...filters, standing: read<Standing>(value) })}
      />
      <Select
        label={t("owner")}
        className="w-auto max-w-48"
        value={filters.owner ?? ANY}
        options={choice(owners, (each) => each, t("anyOwner"))}
        onValue={(value) => onFilters({ ...filters, owner: read<string>(value) })}
      />
      {isFiltered(filters) ? (
        <Button look="quiet" onClick={() => onFilters({ search: "", owner: null, last: null, standing: null })}>
          <X size={13} aria-hidden="true" />
          {t("clear")}
        </Button>
      ) : null}
      <span aria-live="polite" className="ml-auto text-ink-3 text-meta">
        {count}
      </span>
    </div>
  );
}
