const PLACES: Readonly<Record<string, (id: string, label: string) => string>> = {
  pipeline: (id) => `/pipelines/${id}`,
  run: (id) => `/runs/${id}`,
  schedule: (id) => `/schedules?schedule=${id}`,
  code: (_, label) => `/codes/${label}`,
  incident: (id) => `/incidents/${id}`,
  playbook: (id) => `/playbooks/${id}`,
  worker: () => "/workers",
  pool: () => "/workers",
  group: () => "/workers",
  routing: () => "/routing",
  valve: (id) => `/valves?valve=${id}`,
  secret: () => "/settings?tab=secrets",
  token: () => "/settings?tab=tokens",
  user: () => "/settings",
  host: () => "/settings?tab=hosts",
};

interface Audited {
  readonly kind: string;
  readonly id: string;
  readonly label: string;
}

/** Where the object of an audit row is looked at; null for what has no page. */
export const objectHref = ({ kind, id, label }: Audited): string | null => PLACES[kind]?.(id, label) ?? null;
