import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { DomainError } from "@/server/domain/failure";
import { parseInput } from "@/server/domain/input";
import type { Ctx } from "@/server/engine/context";
import { checkedJson, readBody } from "../walls";

/** What a request brings with it: who asks, told by its token. */
export interface RestBindings {
  readonly ctx: Ctx;
}
export type RestApp = OpenAPIHono<{ Bindings: RestBindings }>;

type Shape = z.ZodObject;
/** A body that is judged by its verb and not by a schema here. */
export interface TextBody {
  readonly media: readonly string[];
  readonly description: string;
  readonly schema: z.ZodType;
}

export interface EndpointSpec<Params extends Shape, Query extends Shape, Body extends z.ZodType> {
  readonly method: "get" | "put" | "post" | "delete";
  /** In OpenAPI's form: `/runs/{id}`. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly params?: Params;
  readonly query?: Query;
  readonly headers?: Shape;
  /** JSON; a body that is left out counts as `{}`. */
  readonly body?: Body;
  readonly text?: TextBody;
  readonly answers: Readonly<Record<number, { readonly description: string; readonly schema?: z.ZodType; readonly media?: string }>>;
}

export interface EndpointInput<Params extends Shape, Query extends Shape, Body extends z.ZodType> {
  readonly ctx: Ctx;
  readonly params: z.output<Params>;
  readonly query: z.output<Query>;
  readonly body: z.output<Body>;
  /** The body as it was sent, where the endpoint takes text. */
  readonly text: string;
  readonly mediaType: string;
  readonly header: (name: string) => string | undefined;
}

const Nothing = z.strictObject({});
const JSON_MEDIA = "application/json";

export const problemSchema = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string().openapi({ description: "What is wrong, where, and what to do." }),
    instance: z.string().openapi({ description: "The request, as it stands in the log and in audit rows." }),
    code: z.string(),
    issues: z.array(z.object({ path: z.string(), message: z.string(), code: z.string() })),
  })
  .openapi("Problem");

/** One door of the REST surface: documented, parsed and answered from the same schemas. */
export function endpoint<
  Params extends Shape = typeof Nothing,
  Query extends Shape = typeof Nothing,
  Body extends z.ZodType = z.ZodUndefined,
>(app: RestApp, spec: EndpointSpec<Params, Query, Body>, handle: (input: EndpointInput<Params, Query, Body>) => Promise<Response>): void {
  document(app, spec);
  app.on(spec.method, [spec.path.replace(/\{(\w+)\}/g, ":$1")], async (c) => {
    const request = c.req.raw;
    const text = spec.method === "get" ? "" : await readBody(request);
    const mediaType = (c.req.header("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
    const params = parseInput(spec.params ?? Nothing, c.req.param()) as z.output<Params>;
    const query = parseInput(spec.query ?? Nothing, queryOf(request)) as z.output<Query>;
    const body = readsJson(spec, text, mediaType) ? parseInput(spec.body as Body, text.trim() === "" ? {} : checkedJson(text)) : undefined;
    return handle({ ctx: c.env.ctx, params, query, body: body as z.output<Body>, text, mediaType, header: (name) => c.req.header(name) });
  });
}

function readsJson(spec: { body?: z.ZodType; text?: TextBody }, text: string, mediaType: string): boolean {
  const takes = [...(spec.body ? [JSON_MEDIA] : []), ...(spec.text?.media ?? [])];
  if (takes.length === 0 || (text === "" && spec.body && mediaType === "")) return spec.body !== undefined;
  if (takes.includes(mediaType)) return spec.body !== undefined && mediaType === JSON_MEDIA;
  throw new DomainError("invalid_input", `content-type is "${mediaType.slice(0, 100)}"; send ${takes.join(" or ")}`, {
    issues: [{ path: "content-type", code: "not_a_choice", message: `send ${takes.join(" or ")}` }],
  });
}

/** A name that stands twice is refused rather than read as one of its values. */
function queryOf(request: Request): Record<string, string> {
  const given = [...new URL(request.url).searchParams];
  const twice = given.find(([name], index) => given.findIndex(([other]) => other === name) !== index);
  if (twice) {
    throw new DomainError("invalid_input", `${twice[0]} stands twice in the address; give it once`, {
      issues: [{ path: twice[0], code: "duplicate_key", message: "stands twice; give it once" }],
    });
  }
  // The same judgement as of a body: no NUL, no broken text.
  return checkedJson(JSON.stringify(Object.fromEntries(given))) as Record<string, string>;
}

function document<Params extends Shape, Query extends Shape, Body extends z.ZodType>(
  app: RestApp,
  spec: EndpointSpec<Params, Query, Body>,
): void {
  const content = {
    ...(spec.body ? { [JSON_MEDIA]: { schema: spec.body } } : {}),
    ...Object.fromEntries((spec.text?.media ?? []).map((media) => [media, { schema: spec.text?.schema ?? z.string() }])),
  };
  app.openAPIRegistry.registerPath({
    method: spec.method,
    path: spec.path,
    tags: [spec.tag],
    summary: spec.summary,
    ...(spec.description ? { description: spec.description } : {}),
    security: [{ serviceToken: [] }],
    request: {
      ...(spec.params ? { params: spec.params } : {}),
      ...(spec.query ? { query: spec.query } : {}),
      ...(spec.headers ? { headers: spec.headers } : {}),
      ...(Object.keys(content).length > 0 ? { body: { content, ...(spec.text ? { description: spec.text.description } : {}) } } : {}),
    },
    responses: {
      ...Object.fromEntries(
        Object.entries(spec.answers).map(([status, { description, schema, media = JSON_MEDIA }]) => [
          status,
          schema ? { description, content: { [media]: { schema } } } : { description },
        ]),
      ),
      default: { description: "A refusal", content: { "application/problem+json": { schema: problemSchema } } },
    },
  });
}

/** JSON as scripts read it; it is never kept by what lies between. */
export const answer = (body: unknown, status = 200, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(body), { status, headers: { "content-type": JSON_MEDIA, "cache-control": "no-store", ...headers } });
