// The schemas that openapi.json doesn't have: those of queries and of the live socket.
import { expect, test } from "vitest";
import { z } from "zod";
import * as oidc from "./access/oidc.ts";
import * as audit from "./audit/query.ts";
import * as runs from "./commands/live.ts";
import * as commands from "./commands/query.ts";
import * as fitness from "./fitness/fitness.ts";
import * as applications from "./gitops/applications.ts";
import * as argoObjects from "./gitops/argo-objects.ts";
import * as gitopsStatus from "./gitops/status.ts";
import * as live from "./inventory/live.ts";
import * as inventory from "./inventory/query.ts";
import * as rollouts from "./rollouts/query.ts";
import * as stacks from "./stacks/query.ts";

const rooms = {
  applications,
  argoObjects,
  audit,
  commands,
  fitness,
  gitopsStatus,
  inventory,
  live,
  oidc,
  rollouts,
  runs,
  stacks,
};
const schemas = Object.values(rooms)
  .flatMap((room) => Object.entries(room))
  .flatMap(([name, value]) =>
    /(Query|Request|Message)Schema$/.test(name) && value instanceof z.ZodType ? [[name, value] as const] : [],
  );

test("there are schemas to look at", () => {
  expect(schemas.map(([name]) => name)).toEqual(
    expect.arrayContaining(["changeQuerySchema", "fitnessQuerySchema", "objectLiveMessageSchema"]),
  );
});

test.each(schemas)("every property of %s has a description", (_, schema) => {
  expect(withoutDescription(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }), "")).toEqual([]);
});

test("a property without a description is found, however deep it is", () => {
  const schema = z.object({ outer: z.array(z.object({ inner: z.string() })).describe("Described") });

  expect(withoutDescription(z.toJSONSchema(schema), "")).toEqual([".outer.inner"]);
});

function withoutDescription(json: unknown, place: string): string[] {
  if (typeof json !== "object" || json === null) return [];
  const { properties = {}, ...others } = json as {
    readonly properties?: Readonly<Record<string, { description?: string }>>;
  };
  return [
    ...Object.entries(properties).flatMap(([name, property]) => [
      ...(property.description ? [] : [`${place}.${name}`]),
      ...withoutDescription(property, `${place}.${name}`),
    ]),
    ...Object.values(others).flatMap((other) => withoutDescription(other, place)),
  ];
}
