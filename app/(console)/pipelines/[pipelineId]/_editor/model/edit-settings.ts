import { SCHEDULE_DEFAULTS } from "@/server/domain/pipeline/defaults";
import type { ScheduleDefinition } from "@/server/domain/pipeline/definition";
import type { Applied, Command } from "./command";
import { type EditorDraft, freeName } from "./editor-draft";
import { renameParam } from "./rename";
import { setIn } from "./set-in";

export type SettingsCommand = Extract<
  Command,
  { readonly kind: "edit_settings" | "add_param" | "rename_param" | "remove_param" | "add_schedule" | "remove_schedule" }
>;

const set = (draft: EditorDraft, path: readonly (string | number)[], value: unknown): Applied => ({
  kind: "applied",
  draft: { ...draft, definition: setIn(draft.definition, path, value) },
});

function removeParam(draft: EditorDraft, name: string): Applied {
  const { [name]: _, ...params } = draft.definition.spec.params;
  const businessKeys = draft.definition.spec.businessKeys.filter((key) => key !== name);
  const { definition } = draft;
  return { kind: "applied", draft: { ...draft, definition: { ...definition, spec: { ...definition.spec, params, businessKeys } } } };
}

function addSchedule(draft: EditorDraft, timezone: string): Applied {
  const { schedules } = draft.definition.spec;
  const name = freeName("nightly", new Set(schedules.map((schedule) => schedule.name))).replaceAll("_", "-");
  const schedule: ScheduleDefinition = { name, cron: "0 2 * * *", timezone, ...SCHEDULE_DEFAULTS };
  return set(draft, ["spec", "schedules"], [...schedules, schedule]);
}

/** Changes of everything beside the nodes. */
export function editSettings(draft: EditorDraft, command: SettingsCommand): Applied {
  const { spec } = draft.definition;
  switch (command.kind) {
    case "edit_settings":
      return set(draft, command.path, command.value);
    case "add_param":
      return set(draft, ["spec", "params", freeName("param", new Set(Object.keys(spec.params)))], command.param);
    case "rename_param":
      if (command.name === command.to) return { kind: "applied", draft };
      if (Object.hasOwn(spec.params, command.to)) return { kind: "refused", refusal: { code: "name_taken", name: command.to } };
      return { kind: "applied", draft: renameParam(draft, command.name, command.to) };
    case "remove_param":
      return removeParam(draft, command.name);
    case "add_schedule":
      return addSchedule(draft, command.timezone);
    case "remove_schedule":
      return set(draft, ["spec", "schedules"], spec.schedules.toSpliced(command.index, 1));
  }
}
