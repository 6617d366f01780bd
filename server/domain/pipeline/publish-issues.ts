import type { PipelineDefinition } from "./definition";
import type { DefinitionIssue } from "./issue";
import { validateDefinition } from "./validate";

/** All that keeps a well-formed definition from going live: its graph, its references, its times and its schedules. */
export const publishIssues = (definition: PipelineDefinition): readonly DefinitionIssue[] => validateDefinition(definition);
