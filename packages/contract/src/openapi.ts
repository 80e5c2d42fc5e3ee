import { z } from "zod";
import { type Operation, operations } from "./operations.ts";
import { problemContentType, problemSchema } from "./problem.ts";

export type JsonObject = { [key: string]: unknown };

/** The API as an OpenAPI 3.1 document. packages/contract/openapi.json is this, written by scripts/write-openapi.ts. */
export function createOpenApi(): JsonObject {
  const components: JsonObject = {};
  const refer = (schema: z.ZodType, io: "input" | "output"): unknown => {
    const { $defs, $schema: _, ...json } = toJsonSchema(schema, io);
    Object.assign(components, $defs);
    return json;
  };
  const paths: Record<string, JsonObject> = {};
  for (const operation of operations) {
    const common = operation.path.includes("{name}") ? { parameters: [nameParameter] } : {};
    paths[operation.path] = { ...common, ...paths[operation.path], [operation.method]: describe(operation, refer) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Fairlead hub",
      version: "v1",
      description: "What people and tools ask of a hub. A cluster's own API is proxied under /k8s/clusters/{name}/.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    paths,
    components: {
      schemas: Object.fromEntries(Object.entries(components).sort(([a], [b]) => (a < b ? -1 : 1))),
      securitySchemes: { bearer: { type: "http", scheme: "bearer" } },
    },
  };
}

function describe(operation: Operation, refer: (schema: z.ZodType, io: "input" | "output") => unknown): JsonObject {
  const { success } = operation;
  return {
    operationId: operation.id,
    summary: operation.summary,
    security: operation.needsToken ? [{ bearer: [] }] : [],
    ...(operation.request && {
      requestBody: { required: true, content: { "application/json": { schema: refer(operation.request, "input") } } },
    }),
    responses: {
      [success.status]: {
        description: success.description,
        ...(success.body && { content: { "application/json": { schema: refer(success.body, "output") } } }),
      },
      default: {
        description: "An error, with a code that docs/errors.md explains",
        content: { [problemContentType]: { schema: refer(problemSchema, "output") } },
      },
    },
  };
}

function toJsonSchema(schema: z.ZodType, io: "input" | "output"): JsonObject {
  const json = z.toJSONSchema(schema, {
    io,
    // `format` says it all; the pattern is a page long.
    override: ({ jsonSchema }) => {
      if (jsonSchema.format === "date-time") delete jsonSchema.pattern;
    },
  });
  return JSON.parse(JSON.stringify(json).replaceAll('"#/$defs/', '"#/components/schemas/'));
}

const nameParameter: JsonObject = {
  name: "name",
  in: "path",
  required: true,
  description: "The cluster's name",
  schema: { type: "string" },
};
