import { DomainError, type InputIssue } from "../failure";
import { API_VERSION, type PipelineDefinitionInput } from "../pipeline/definition";
import { checkZone } from "../schedule/zone";
import { claimName } from "./pipeline-title";
import { type CrontabPreview, isPreviewOffer, originOf, type PreviewOffer } from "./preview-crontab";

/** A line that a person has chosen, and what they changed about it. */
export interface CrontabChoice {
  readonly line: number;
  readonly name?: string;
  readonly title?: string;
  /** Needed where the file names a zone that does not exist. */
  readonly zone?: string;
}

export interface ImportTarget {
  readonly owner: string;
  /** Error-code domain of the new pipelines. */
  readonly domain: string;
  /** Whether the schedules fire from the start. */
  readonly enabled: boolean;
  /** Names that other pipelines of the project have. */
  readonly takenNames?: readonly string[];
}

export interface ImportedPipeline {
  readonly line: number;
  /** See `PreviewEntry.origin`; an import that finds it again creates nothing. */
  readonly origin: string;
  readonly definition: PipelineDefinitionInput;
}

/** Cron never ends a command; a day is long enough for a batch and short enough to notice one that hangs. */
const COMMAND_LIMIT = "24h";

/** A literal `{{` would start a template, so it becomes a template that yields `{{`. */
const literal = (text: string) => text.replaceAll("{{", '{{ "{{" }}');

type Checked =
  | { readonly ok: true; readonly offer: PreviewOffer; readonly zone: string }
  | { readonly ok: false; readonly issue: InputIssue };

function check(preview: CrontabPreview, choice: CrontabChoice, index: number): Checked {
  const path = `selection[${index}]`;
  const line = preview.lines.find((candidate) => candidate.line === choice.line);
  if (line === undefined || !isPreviewOffer(line)) {
    const message = `line ${choice.line} holds no entry that can be imported; choose a line that the preview offers`;
    return { ok: false, issue: { path: `${path}.line`, code: "not_offered", message } };
  }
  const zone = checkZone(choice.zone ?? line.entry.zone ?? "");
  if (!zone.ok)
    return { ok: false, issue: { path: `${path}.zone`, code: "unknown_zone", message: `line ${choice.line}: ${zone.message}` } };
  return { ok: true, offer: line, zone: zone.zone };
}

function describeOrigin({ line, raw, entry }: PreviewOffer): string {
  const runAs = entry.runAs === null ? "" : `\n\nRun as: ${entry.runAs}`;
  return `Imported from line ${line} of a crontab:\n\n${raw.trim().slice(0, 3_000)}${runAs}`;
}

function definitionOf(
  offer: PreviewOffer,
  zone: string,
  choice: CrontabChoice,
  name: string,
  target: ImportTarget,
): PipelineDefinitionInput {
  const { entry } = offer;
  const env = Object.fromEntries(Object.entries(entry.env).map(([key, value]) => [key, literal(value)]));
  return {
    apiVersion: API_VERSION,
    kind: "Pipeline",
    metadata: {
      name,
      title: choice.title ?? entry.title,
      description: describeOrigin(offer),
      owner: target.owner,
      labels: { source: "crontab" },
    },
    spec: {
      domain: target.domain,
      schedules: [{ name: "cron", cron: entry.expression, dialect: "vixie", timezone: zone, enabled: target.enabled }],
      nodes: [
        {
          key: "run",
          type: "command",
          // Cron never runs a failed command again, and the command was not written for it.
          retry: { policy: "none" },
          timeout: COMMAND_LIMIT,
          deadline: COMMAND_LIMIT,
          with: {
            argv: [literal(entry.shell), "-c", literal(entry.command)],
            ...(Object.keys(env).length === 0 ? {} : { env }),
            ...(entry.stdin === null ? {} : { stdin: literal(entry.stdin) }),
          },
        },
      ],
    },
  };
}

/** The lines that an import takes unless a person says otherwise. */
export function tickedLines(preview: CrontabPreview): CrontabChoice[] {
  return preview.lines.filter(isPreviewOffer).flatMap(({ line, ticked }) => (ticked ? [{ line }] : []));
}

/** A pipeline with one command node for each chosen line; refuses the whole choice if one line of it cannot be. */
export function toDefinitions(preview: CrontabPreview, selection: readonly CrontabChoice[], target: ImportTarget): ImportedPipeline[] {
  const checked = selection.map((choice, index) => check(preview, choice, index));
  const issues = checked.flatMap((result) => (result.ok ? [] : [result.issue]));
  if (issues.length > 0) throw new DomainError("invalid_input", issues[0]?.message ?? "the selection cannot be imported", { issues });
  const names = new Set(target.takenNames);
  const origins = new Set<string>();
  return checked.flatMap((result, index) => {
    const choice = selection[index];
    if (!result.ok || choice === undefined) return [];
    const { offer, zone } = result;
    const origin = originOf(preview.form, offer.entry, zone);
    // Two lines that say the same are one pipeline, however they were chosen.
    if (origins.has(origin)) return [];
    origins.add(origin);
    const name = claimName(choice.name ?? offer.entry.name, names);
    return [{ line: offer.line, origin, definition: definitionOf(offer, zone, choice, name, target) }];
  });
}
