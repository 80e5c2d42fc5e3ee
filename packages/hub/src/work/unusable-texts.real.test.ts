// Texts that no agent could carry out are refused when what they are for is saved, and not only when commands are made of it.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, openTestHub, type TestHub } from "../hub.fixture.ts";

let harness: TestHub;
beforeAll(async () => {
  harness = await openTestHub();
  await ask("POST", "/api/v1/clusters", { name: "east", roles: ["execute"] });
}, 60_000);
afterAll(() => harness[Symbol.asyncDispose]());

const spec = (manifests: string) => ({ set: "web", namespace: "shop", manifests });
const asked = (manifests: string) => ({ kind: "manifests", spec: spec(manifests), clusters: ["east"] });
const saved: readonly (readonly [
  what: string,
  method: "POST" | "PUT",
  path: string,
  body: (text: string) => object,
])[] = [
  ["a template", "PUT", "/api/v1/templates/web", (text) => toTemplate({ spec: spec(text) })],
  [
    "a schedule",
    "PUT",
    "/api/v1/schedules/web",
    (text) => ({ cron: "0 3 * * *", timeZone: "UTC", request: asked(text) }),
  ],
  ["a rollout", "POST", "/api/v1/rollouts", asked],
  ["a rollout's preview", "POST", "/api/v1/rollouts/preview", asked],
  ["a stack", "POST", "/api/v1/stacks/web/runs", (text) => toStack([text])],
];

describe.each(saved)("%s", (_what, method, path, toBody) => {
  it.each([
    ["a NUL", "kind: Pod\u0000", /NUL/],
    ["aliases that unfold into millions", bomb(), /repeat too much/],
    [
      "aliases in a text that would take long to read",
      `a: &a 1\nb: [${"*a,".repeat(20)}]\n${"c: 1\n".repeat(5_000)}`,
      /16384/,
    ],
  ])("is refused for %s", async (_why, text, detail) => {
    const { status, json } = await ask(method, path, toBody(text));
    expect([status, json]).toMatchObject([
      400,
      { code: "COMMAND_SPEC_UNUSABLE", detail: expect.stringMatching(detail) },
    ]);
  });

  it("is taken with aliases of the usual kind", async () => {
    const { status } = await ask(method, path, toBody("a: &a {x: 1}\nb: *a"));
    expect([200, 201]).toContain(status);
  });
});

it("a default of a template's parameter is refused for a NUL", async () => {
  const { json } = await ask("PUT", "/api/v1/templates/web", toTemplate(withDefault("a\u0000")));
  expect(json).toMatchObject({ code: "COMMAND_SPEC_UNUSABLE", detail: expect.stringMatching(/parameters.*NUL/) });
});

it("texts of a stack's resources are bounded together", async () => {
  const text = `a: &a 1\nb: [${"*a,".repeat(20)}]\n${"c: 1\n".repeat(1_000)}`;
  const { json } = await ask("POST", "/api/v1/stacks/other/runs", toStack(Array.from({ length: 90 }, () => text)));
  expect(json).toMatchObject({ code: "COMMAND_SPEC_UNUSABLE" });
});

function toTemplate(more: object): object {
  return { kind: "manifests", clusters: { all: true }, spec: spec(""), ...more };
}

function withDefault(text: string): object {
  const config = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "web" }, data: { note: "${param:note}" } };
  return {
    spec: { set: "web", namespace: "shop", objects: [config] },
    parameters: { type: "object", properties: { note: { type: "string", default: text } } },
  };
}

function toStack(texts: readonly string[]): object {
  const resources = texts.map((text, index) => [
    `r${index}`,
    { cluster: "east", kind: "manifests", spec: { ...spec(text), set: `set-${index}` } },
  ]);
  return { action: "plan", resources: Object.fromEntries(resources) };
}

function bomb(): string {
  const names = ["b", "c", "d", "e", "f", "g", "h", "i"];
  const lines = names.map((name, index) => `${name}: &${name} [${`*${"abcdefgh"[index]},`.repeat(9)}]`);
  return ["a: &a [x,x,x,x,x,x,x,x,x]", ...lines].join("\n");
}

async function ask(method: string, path: string, body: object) {
  const headers = { ...harness.admin, "content-type": "application/json" };
  return await call(harness.hub.peopleUrl, path, { method, headers, body: JSON.stringify(body) });
}
