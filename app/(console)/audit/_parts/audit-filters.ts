export const AUDIT_NOUNS = [
  "run",
  "pipeline",
  "schedule",
  "member",
  "token",
  "secret",
  "host",
  "project",
  "access",
  "session",
  "worker",
  "alert",
  "incident",
  "playbook",
  "silence",
  "channel",
  "webhook",
  "retention",
  "letter",
  "valve",
] as const;
export type AuditNoun = (typeof AUDIT_NOUNS)[number];

export interface AuditSight {
  readonly actor: string | null;
  readonly noun: AuditNoun | null;
  readonly object: { readonly kind: string; readonly id: string; readonly label: string } | null;
  /** Calendar days, the second one included. */
  readonly from: string | null;
  readonly to: string | null;
}

export const NO_FILTERS: AuditSight = { actor: null, noun: null, object: null, from: null, to: null };

export const isFiltered = (sight: AuditSight): boolean => Object.values(sight).some((value) => value !== null);

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Reads an address that a person may have written: what it does not know it passes over. */
export function readSight(read: (name: string) => string): AuditSight {
  const [kind, id] = [read("kind"), read("id")];
  const day = (name: string) => (DAY.test(read(name)) ? read(name) : null);
  return {
    actor: read("actor").slice(0, 200) || null,
    noun: AUDIT_NOUNS.find((each) => each === read("noun")) ?? null,
    object: kind !== "" && id !== "" ? { kind: kind.slice(0, 64), id: id.slice(0, 200), label: read("label") || id } : null,
    from: day("from"),
    to: day("to"),
  };
}

export const sightAddress = ({ actor, noun, object, from, to }: AuditSight) => ({
  actor,
  noun,
  from,
  to,
  kind: object?.kind ?? null,
  id: object?.id ?? null,
  label: object?.label ?? null,
});
