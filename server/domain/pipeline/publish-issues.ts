import { validateSchedule } from "../schedule/validate-schedule";
import type { PipelineDefinition } from "./definition";
import type { DefinitionIssue } from "./issue";
import { validateDefinition } from "./validate";

/** All that keeps a definition from going live: its graph, its references, and the expressions and zones of its schedules. */
export function publishIssues(definition: PipelineDefinition): readonly DefinitionIssue[] {
  return [
    ...validateDefinition(definition),
    ...definition.spec.schedules.flatMap((schedule, index) => validateSchedule(schedule, `spec.schedules[${index}]`)),
  ];
}
