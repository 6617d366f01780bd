import { checkZone } from "../schedule/zone";
import { type CrontabNote, note } from "./crontab-note";

/** The zone that entries are read in, and where it comes from. */
export interface ZoneInEffect {
  /** Null where the file names one that does not exist: then nothing is assumed. */
  readonly zone: string | null;
  /** The line of its `CRON_TZ`; null where the zone is the importer's assumption. */
  readonly line: number | null;
  readonly written: string;
}

/** What the lines so far have set for the entries after them. */
export interface CrontabSettings {
  readonly variables: Readonly<Record<string, string>>;
  readonly zone: ZoneInEffect;
}

export interface SettingResult {
  readonly settings: CrontabSettings;
  readonly warnings: readonly CrontabNote[];
  /** Why the line is refused; null if it holds. */
  readonly refusal: CrontabNote | null;
}

const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const SECRET_NAME = /PASS(?:WORD|WD)?(?:$|_)|SECRET|TOKEN|API_?KEY|PRIVATE_KEY|CREDENTIAL/i;
export const DEFAULT_SHELL = "/bin/sh";

export const startSettings = (zone: string): CrontabSettings => ({ variables: {}, zone: { zone, line: null, written: zone } });

function applyZone(settings: CrontabSettings, line: number, value: string): SettingResult {
  const checked = checkZone(value);
  const zone: ZoneInEffect = { zone: checked.ok ? checked.zone : null, line, written: value };
  const refusal = checked.ok ? null : note("unknown_zone", `CRON_TZ: ${checked.message}`, { zone: value });
  return { settings: { ...settings, zone }, warnings: [], refusal };
}

function warningsOf(name: string, value: string): CrontabNote[] {
  const warnings: CrontabNote[] = [];
  if (name === "TZ") {
    warnings.push(note("zone_setting", "TZ is handed to the command and does not move its schedule; write CRON_TZ for that", { value }));
  }
  if (name === "RANDOM_DELAY") {
    warnings.push(note("random_delay", "RANDOM_DELAY is handed to the command as a variable; fires are not delayed by it", { value }));
  }
  if (/\$[A-Za-z_{]/.test(value) && name !== "MAILTO") {
    warnings.push(
      note("unexpanded_variable", `${name}: cron does not expand variables here, so the value stays "${value}" as written`, {
        name,
        value,
      }),
    );
  }
  if (SECRET_NAME.test(name) && value !== "") {
    warnings.push(
      note("looks_secret", `${name} looks like a secret: its value would stand in the definition; keep it as a secret and refer to it`, {
        name,
      }),
    );
  }
  return warnings;
}

/** What one setting changes for the entries after it. */
export function applySetting(settings: CrontabSettings, line: number, name: string, value: string): SettingResult {
  if (name === "CRON_TZ") return applyZone(settings, line, value);
  if (!VARIABLE_NAME.test(name)) {
    const refusal = note("variable_name", `"${name}" is not a variable name; use letters, digits and _`, { name });
    return { settings, warnings: [], refusal };
  }
  return {
    settings: { ...settings, variables: { ...settings.variables, [name]: value } },
    warnings: warningsOf(name, value),
    refusal: null,
  };
}
