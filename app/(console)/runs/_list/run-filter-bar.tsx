"use client";
import { ChevronDown, X } from "lucide-react";
import { useTranslations } from "next-intl";
import { type ReactNode, useState } from "react";
import { colorOf } from "@/app/_status/look";
import { RUN_LOOKS } from "@/app/_status/run-states";
import { useStateWord } from "@/app/_status/state-badge";
import { Button, buttonLook } from "@/app/_ui/button";
import { cn } from "@/app/_ui/class-names";
import { RUN_STATES } from "@/server/domain/run/states";
import { TRIGGER_KINDS } from "../views";
import { isFiltered, type RunFilters, toggled } from "./model/run-filters";
import { PipelinePicker } from "./pipeline-picker";

interface RunFilterBarProps {
  projectId: string;
  filters: RunFilters;
  onFilters: (filters: RunFilters) => void;
}

export function RunFilterBar({ projectId, filters, onFilters }: RunFilterBarProps) {
  const t = useTranslations("runs");
  const word = useStateWord();
  const [open, setOpen] = useState(false);
  const picker = (
    <button type="button" aria-label={t("filter.pipeline")} className={cn(buttonLook(), "max-w-60 font-normal")}>
      <span className="truncate">{filters.pipeline ?? t("filter.anyPipeline")}</span>
      <ChevronDown size={13} aria-hidden="true" className="text-ink-3" />
    </button>
  );
  return (
    <div className="flex items-center gap-x-4 gap-y-2 overflow-x-auto px-4 pb-3 [scrollbar-width:none] md:flex-wrap md:px-6">
      <PipelinePicker
        projectId={projectId}
        chosen={filters.pipeline}
        open={open}
        onOpen={setOpen}
        trigger={picker}
        onChoose={(pipeline) => onFilters({ ...filters, pipeline })}
      />
      <ChipGroup label={t("filter.state")}>
        {RUN_STATES.map((state) => {
          const Glyph = RUN_LOOKS[state].glyph;
          return (
            <Chip
              key={state}
              on={filters.states.includes(state)}
              onPress={() => onFilters({ ...filters, states: toggled(filters.states, state) })}
            >
              <span style={{ color: colorOf(RUN_LOOKS[state]) }} className="inline-flex">
                <Glyph size={12} />
              </span>
              {word({ of: "run", state })}
            </Chip>
          );
        })}
      </ChipGroup>
      <ChipGroup label={t("filter.trigger")}>
        {TRIGGER_KINDS.map((kind) => (
          <Chip
            key={kind}
            on={filters.triggers.includes(kind)}
            onPress={() => onFilters({ ...filters, triggers: toggled(filters.triggers, kind) })}
          >
            {t(`trigger.${kind}`)}
          </Chip>
        ))}
      </ChipGroup>
      {isFiltered(filters) ? (
        <Button look="quiet" onClick={() => onFilters({ states: [], pipeline: null, triggers: [] })}>
          <X size={13} aria-hidden="true" />
          {t("filter.clear")}
        </Button>
      ) : null}
    </div>
  );
}

const ChipGroup = ({ label, children }: { label: string; children: ReactNode }) => (
  <fieldset aria-label={label} className="m-0 flex shrink-0 gap-1 border-0 p-0">
    {children}
  </fieldset>
);

function Chip({ on, onPress, children }: { on: boolean; onPress: () => void; children: ReactNode }) {
  return (
    <button
      type="button"
      aria-pressed={on}
      onClick={onPress}
      className={cn(
        "inline-flex h-6 items-center gap-1.5 whitespace-nowrap rounded-full border border-line px-2 text-ink-2 text-meta hover:border-edge hover:text-ink pointer-coarse:h-9",
        on && "border-ink bg-selected font-medium text-ink hover:border-ink",
      )}
    >
      {children}
    </button>
  );
}
