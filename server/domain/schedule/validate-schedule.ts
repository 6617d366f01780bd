import type { ScheduleDefinition } from "../pipeline/definition";
import type { DefinitionIssue } from "../pipeline/issue";
import { parseCron } from "./cron";
import { checkZone } from "./zone";

/** What is wrong with a schedule's expression and zone; `path` is where the schedule stands, such as `spec.schedules[0]`. */
export function validateSchedule(schedule: Pick<ScheduleDefinition, "cron" | "dialect" | "timezone">, path: string): DefinitionIssue[] {
  const issues: DefinitionIssue[] = [];
  const parsed = parseCron(schedule.cron, schedule.dialect);
  if (!parsed.ok)
    issues.push(...parsed.issues.map(({ code, message, values }) => ({ path: `${path}.cron`, code: `cron_${code}`, message, values })));
  const zone = checkZone(schedule.timezone);
  if (!zone.ok) issues.push({ path: `${path}.timezone`, code: "unknown_zone", message: zone.message, values: { text: schedule.timezone } });
  return issues;
}
