import { expect, test } from "vitest";
import { definitionJsonSchema } from "./json-schema";

test("the published JSON Schema describes what an author writes, strictly and with every node type (PIP-7)", () => {
  const schema = JSON.parse(JSON.stringify(definitionJsonSchema())) as {
    required: string[];
    additionalProperties: boolean;
    properties: {
      spec: { properties: { nodes: { items: { oneOf: { properties: { type: { const: string } }; required: string[] }[] } } } };
    };
  };
  expect(schema.required).toEqual(["apiVersion", "kind", "metadata", "spec"]);
  expect(schema.additionalProperties).toBe(false);
  const kinds = schema.properties.spec.properties.nodes.items.oneOf;
  expect(kinds.map((kind) => kind.properties.type.const)).toEqual(["http", "command", "handler", "wait"]);
  expect(kinds.map((kind) => kind.required)).toEqual(kinds.map(() => ["key", "type", "with"]));
});
