import { OpenAPIHono } from "@hono/zod-openapi";
import { definitionJsonSchema } from "@/server/domain/pipeline/json-schema";
import { notThere } from "./http/problem";
import { alertEndpoints } from "./rest/alerts";
import { breakerEndpoints } from "./rest/breakers";
import { codeEndpoints } from "./rest/codes";
import { deadLetterEndpoints } from "./rest/dead-letters";
import { answer, type RestApp, type RestBindings } from "./rest/endpoint";
import { importEndpoints } from "./rest/imports";
import { incidentEndpoints } from "./rest/incidents";
import { ledgerEndpoints } from "./rest/ledgers";
import { nodeEndpoints } from "./rest/nodes";
import { pipelineEndpoints } from "./rest/pipelines";
import { poolEndpoints } from "./rest/pools";
import { reviewEndpoints } from "./rest/reviews";
import { routingEndpoints } from "./rest/routing";
import { runEndpoints } from "./rest/runs";
import { triggerEndpoints } from "./rest/triggers";
import { valveEndpoints } from "./rest/valves";

export const REST_PATH = "/api/v1";
export const OPENAPI_PATH = `${REST_PATH}/openapi.json`;
export const SCHEMA_PATH = `${REST_PATH}/schema/pipeline.json`;

/** The REST surface, assembled; nothing else. */
export function restApp(): RestApp {
  const app: RestApp = new OpenAPIHono<{ Bindings: RestBindings }>().basePath(REST_PATH);
  app.openAPIRegistry.registerComponent("securitySchemes", "serviceToken", {
    type: "http",
    scheme: "bearer",
    description: "A service token: Settings, Tokens, or `npm run --silent token`.",
  });
  pipelineEndpoints(app);
  runEndpoints(app);
  triggerEndpoints(app);
  nodeEndpoints(app);
  deadLetterEndpoints(app);
  alertEndpoints(app);
  routingEndpoints(app);
  reviewEndpoints(app);
  ledgerEndpoints(app);
  importEndpoints(app);
  poolEndpoints(app);
  valveEndpoints(app);
  breakerEndpoints(app);
  codeEndpoints(app);
  incidentEndpoints(app);
  app.get("/openapi.json", () => answer(openApiDocument(app)));
  app.get("/schema/pipeline.json", () => answer(definitionJsonSchema()));
  app.notFound((c) => {
    throw notThere(new URL(c.req.url).pathname);
  });
  app.onError((error) => {
    throw error;
  });
  return app;
}

export function openApiDocument(app: RestApp): Readonly<Record<string, unknown>> {
  const document = app.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "Apollo-11",
      version: "1",
      description: "For scripts and CI. Refusals are problem documents (RFC 9457) that say what is wrong, where, and what to do.",
      license: { name: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
  });
  const schemas = { ...document.components?.schemas, PipelineDefinition: definitionJsonSchema() };
  return { ...document, components: { ...document.components, schemas } };
}
