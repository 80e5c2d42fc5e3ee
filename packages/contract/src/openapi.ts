import { z } from "zod";
import type { Operation } from "./operation.ts";
import { operations } from "./operations.ts";
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
    const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? "");
    const common = names.length > 0 ? { parameters: names.map((name) => toPathParameter(name, operation.path)) } : {};
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
    ...(operation.query && { parameters: Object.entries(operation.query).map(toQueryParameter) }),
    ...(operation.request && {
      requestBody: {
        required: true,
        content: {
          [operation.requestContentType ?? "application/json"]: { schema: refer(operation.request, "input") },
        },
      },
    }),
    responses: {
      [success.status]: {
        description: success.description,
        ...((success.body ?? success.contentType) && {
          content: {
            [success.contentType ?? "application/json"]: {
              schema: success.body ? refer(success.body, "output") : { type: "string" },
            },
          },
        }),
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

function toPathParameter(name: string, path: string): JsonObject {
  const described = path.startsWith("/api/v1/clusters/{name}") ? { description: "The cluster's name" } : {};
  return { name, in: "path", required: true, ...described, schema: { type: "string" } };
}

function toQueryParameter([name, description]: [string, string]): JsonObject {
  return { name, in: "query", required: false, description, schema: { type: "string" } };
}
