const PLACES: Readonly<Record<string, (id: string) => string>> = {
  pipeline: (id) => `/pipelines/${id}`,
  run: (id) => `/runs/${id}`,
  schedule: (id) => `/schedules?schedule=${id}`,
  worker: () => "/workers",
  pool: () => "/workers",
  group: () => "/workers",
  secret: () => "/settings?tab=secrets",
  token: () => "/settings?tab=tokens",
  user: () => "/settings",
  host: () => "/settings?tab=hosts",
};

/** Where the object of an audit row is looked at; null for what has no page. */
export const objectHref = ({ kind, id }: { readonly kind: string; readonly id: string }): string | null => PLACES[kind]?.(id) ?? null;
