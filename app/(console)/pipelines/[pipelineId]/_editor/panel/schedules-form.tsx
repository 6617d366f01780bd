"use client";
import { Plus, Trash2 } from "lucide-react";
import { useTranslations } from "next-intl";
import { Button } from "@/app/_ui/button";
import { useZone } from "@/app/_ui/clock";
import { IconButton } from "@/app/_ui/icon-button";
import {
  CRON_DIALECTS,
  FOLD_POLICIES,
  GAP_POLICIES,
  MISFIRE_POLICIES,
  OVERLAP_POLICIES,
  type ScheduleDefinition,
} from "@/server/domain/pipeline/definition";
import { useEditor } from "../editor-context";
import { jsonText } from "../model/field-text";
import { EXAMPLES } from "./examples";
import { useFieldScope } from "./field-scope";
import { ChoiceField, StructuredField, SwitchField, TextField } from "./fields";
import { SchedulePreview } from "./schedule-preview";

const ZONES: readonly string[] = ["UTC", ...Intl.supportedValuesOf("timeZone")];

function Schedule({ schedule, index }: { schedule: ScheduleDefinition; index: number }) {
  const t = useTranslations("editor");
  const { run, state } = useEditor();
  const scope = useFieldScope();
  const path = ["spec", "schedules", index];
  const hasParams = Object.keys(state.draft.definition.spec.params).length > 0;
  return (
    <li className="flex flex-col gap-3 border-b pb-5">
      <div className="grid grid-cols-[1fr_auto] items-end gap-2">
        <TextField path={[...path, "name"]} label={t("field.scheduleName.label")} mono />
        <IconButton
          label={t("panel.removeSchedule", { name: schedule.name })}
          icon={<Trash2 size={13} aria-hidden="true" />}
          disabled={scope.readOnly}
          onClick={() => run({ kind: "remove_schedule", index })}
        />
      </div>
      <div className="grid grid-cols-[1fr_6.5rem] gap-2">
        <TextField path={[...path, "cron"]} label={t("field.cron.label")} placeholder={EXAMPLES.cron} mono />
        <ChoiceField
          path={[...path, "dialect"]}
          label={t("field.dialect.label")}
          options={CRON_DIALECTS.map((value) => ({ value, label: t(`dialect.${value}`) }))}
        />
      </div>
      <TextField path={[...path, "timezone"]} label={t("field.timezone.label")} placeholder={EXAMPLES.zone} choices={ZONES} mono />
      <SchedulePreview schedule={schedule} />
      <ChoiceField
        path={[...path, "misfire"]}
        label={t("field.misfire.label")}
        options={MISFIRE_POLICIES.map((value) => ({ value, label: t(`misfire.${value}`) }))}
      />
      <ChoiceField
        path={[...path, "overlap"]}
        label={t("field.overlap.label")}
        options={OVERLAP_POLICIES.map((value) => ({ value, label: t(`overlap.${value}`) }))}
      />
      <div className="grid grid-cols-2 gap-2">
        <ChoiceField
          path={[...path, "gap"]}
          label={t("field.gap.label")}
          options={GAP_POLICIES.map((value) => ({ value, label: t(`gap.${value}`) }))}
        />
        <ChoiceField
          path={[...path, "fold"]}
          label={t("field.fold.label")}
          options={FOLD_POLICIES.map((value) => ({ value, label: t(`fold.${value}`) }))}
        />
      </div>
      {hasParams ? (
        <StructuredField
          kind={jsonText}
          path={[...path, "params"]}
          label={t("field.scheduleParams.label")}
          hint={t("field.scheduleParams.hint")}
          placeholder={EXAMPLES.params}
          rows={2}
          optional
        />
      ) : null}
      <SwitchField path={[...path, "enabled"]} label={t("field.enabled.label")} hint={t("field.enabled.hint")} />
    </li>
  );
}

/** When the pipeline runs by itself. */
export function SchedulesForm() {
  const t = useTranslations("editor.panel");
  const { state, run, readOnly } = useEditor();
  const { zone } = useZone();
  const { schedules } = state.draft.definition.spec;
  return (
    <>
      {schedules.length === 0 ? <p className="text-ink-2 text-table">{t("noSchedules")}</p> : null}
      <ul className="flex flex-col gap-5">
        {schedules.map((schedule, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the name is being edited, and forms follow the place
          <Schedule key={index} schedule={schedule} index={index} />
        ))}
      </ul>
      <Button className="self-start" disabled={readOnly} onClick={() => run({ kind: "add_schedule", timezone: zone })}>
        <Plus size={13} aria-hidden="true" />
        {t("addSchedule")}
      </Button>
    </>
  );
}
