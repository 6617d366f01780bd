import type { CronIssue, CronWarning } from "../schedule/cron-field";

export const CRONTAB_NOTE_CODES = [
  "unknown_zone",
  "zone_of_line",
  "zone_setting",
  "unexpanded_variable",
  "random_delay",
  "looks_secret",
  "variable_name",
  "not_an_entry",
  "four_fields",
  "no_command",
  "no_user",
  "reboot",
  "control_character",
  "too_long",
  "six_fields",
  "trailing_comment",
  "log_flag",
  "run_as",
  "working_folder",
  "output_mail",
] as const;

/** One thing to know about a line or a file; a screen translates by code and values. */
export interface CrontabNote {
  readonly code: (typeof CRONTAB_NOTE_CODES)[number] | `cron_${string}`;
  readonly message: string;
  readonly values: Readonly<Record<string, string | number>>;
}

export const note = (code: CrontabNote["code"], message: string, values: CrontabNote["values"] = {}): CrontabNote => ({
  code,
  message,
  values,
});

/** What the cron reader says, as a note. */
export const cronNote = ({ code, message, values }: CronIssue | CronWarning): CrontabNote => note(`cron_${code}`, message, values);
