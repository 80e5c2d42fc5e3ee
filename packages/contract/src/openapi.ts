import { z } from "zod";
import type { Operation } from "./operation.ts";
import { parameterNames } from "./operation.ts";
import { operations } from "./operations.ts";
import { problemContentType, problemSchema } from "./problem.ts";

export type JsonObject = { [key: string]: unknown };

/** The API as an OpenAPI 3.1 document. packages/contract/openapi.json is this, written by scripts/write-openapi.ts. */
export function createOpenApi(): JsonObject {
  const components: JsonObject = {};
  const refer: Refer = (schema, io) => {
    const { $defs, $schema: _, ...json } = toJsonSchema(schema, io);
    Object.assign(components, $defs);
    return json;
  };
  const paths: Record<string, JsonObject> = {};
  for (const operation of operations) {
    const { path, method } = operation;
    paths[path] = Object.assign(paths[path] ?? {}, { [method.toLowerCase()]: describe(operation, refer) });
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

type Refer = (schema: z.ZodType, io: "input" | "output") => JsonObject;

function describe(operation: Operation, refer: Refer): JsonObject {
  const { request, requestContentType = json, right } = operation;
  const parameters = [...toPathParameters(operation, refer), ...toQueryParameters(operation, refer)];
  return {
    operationId: operation.id,
    summary: operation.summary,
    ...(right !== undefined && { description: `Needs the right \`${right}\`.` }),
    security: operation.needsToken ? [{ bearer: [] }] : [],
    ...(parameters.length > 0 && { parameters }),
    ...(request && {
      requestBody: { required: true, content: { [requestContentType]: { schema: refer(request, "input") } } },
    }),
    responses: describeResponses(operation, refer),
  };
}

function describeResponses({ success, errors = [] }: Operation, refer: Refer): JsonObject {
  const { status, description, body, contentType = body && json } = success;
  const codes = errors.length > 0 ? `: ${errors.map((code) => `\`${code}\``).join(", ")}, or one of the hub's` : "";
  return {
    [status]: {
      description,
      ...(contentType !== undefined && {
        content: { [contentType]: { schema: body ? refer(body, "output") : { type: "string" } } },
      }),
    },
    default: {
      description: `An error, with a code that docs/errors.md explains${codes}`,
      content: { [problemContentType]: { schema: refer(problemSchema, "output") } },
    },
  };
}

function toPathParameters({ path, params = {} }: Operation, refer: Refer): JsonObject[] {
  return parameterNames(path).map((name) => {
    const { description, ...schema } = refer(params[name] ?? z.string(), "input");
    return { name, in: "path", required: true, description, schema };
  });
}

function toQueryParameters({ query }: Operation, refer: Refer): JsonObject[] {
  if (!query) return [];
  const { properties = {}, required = [] } = refer(query, "input") as QueryJson;
  return Object.entries(properties).map(([name, { description, ...schema }]) => {
    return { name, in: "query", required: required.includes(name), description, schema };
  });
}

interface QueryJson {
  readonly properties?: Readonly<Record<string, JsonObject>>;
  readonly required?: readonly string[];
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

const json = "application/json";
