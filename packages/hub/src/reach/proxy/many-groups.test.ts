// Callers of large companies have thousands of groups, and send as many headers as the API server takes.
import { callerGroups, capabilities, type OpenHead } from "@fairlead/protocol";
import { expect, it } from "vitest";
import { createTestAccess, spyOn } from "./ports.fixture.ts";
import { authorized, openProxyHarness, type ProxyHarness, sendRaw } from "./proxy-harness.fixture.ts";

it("a caller with 5,000 groups reaches a cluster whose agent takes them, with each of the groups", async () => {
  const opened: OpenHead[] = [];
  await using harness = await openWith({
    groups: 5_000,
    agent: [capabilities.identity, capabilities.manyGroups],
    opened,
  });
  expect((await fetch(`${harness.url}/api`, { headers: authorized })).status).toBe(200);
  expect(harness.streams.opened).toBe(1);
  expect(opened[0]?.identity?.groups).toHaveLength(5_000);
});

it.each([
  [callerGroups.few, [capabilities.identity], 200],
  [callerGroups.few + 1, [capabilities.identity], 403],
  [callerGroups.many, [capabilities.identity, capabilities.manyGroups], 200],
  [callerGroups.many + 1, [capabilities.identity, capabilities.manyGroups], 403],
  [callerGroups.most, [capabilities.identity, capabilities.manyGroups, capabilities.largeHeads], 200],
  [callerGroups.most + 1, [capabilities.identity, capabilities.manyGroups, capabilities.largeHeads], 403],
])("a caller with %i groups at an agent with %j gets %i, and a code", async (groups, agent, status) => {
  await using harness = await openWith({ groups, agent, opened: [] });
  const answer = await fetch(`${harness.url}/api`, { headers: authorized });
  expect(answer.status).toBe(status);
  if (status === 200) return;
  expect(await answer.json()).toMatchObject({ details: { causes: [{ reason: "PROXY_GROUPS_TOO_MANY" }] } });
  expect(harness.streams.opened).toBe(0);
});

it.each([
  [5_000, 60, [capabilities.manyGroups], 431],
  [5_000, 60, [capabilities.manyGroups, capabilities.largeHeads], 200],
  [20_000, 45, [capabilities.manyGroups, capabilities.largeHeads], 200],
  [20_000, 80, [capabilities.manyGroups, capabilities.largeHeads], 431],
])("%i groups of %i characters at an agent with %j get %i, and a code", async (groups, lengthOf, agent, status) => {
  const opened: OpenHead[] = [];
  await using harness = await openWith({ groups, lengthOf, agent: [capabilities.identity, ...agent], opened });
  const answer = await fetch(`${harness.url}/api`, { headers: authorized });
  expect(answer.status).toBe(status);
  if (status === 200) return expect(opened[0]?.identity?.groups).toHaveLength(groups);
  expect(await answer.json()).toMatchObject({ details: { causes: [{ reason: "LINK_HEAD_TOO_LARGE" }] } });
});

it("headers of 900 KiB reach the cluster as they are", async () => {
  const opened: OpenHead[] = [];
  const agent = [capabilities.identity, capabilities.largeHeads];
  await using harness = await openWith({ groups: 1, agent, opened });
  const lines = Array.from({ length: 90 }, (_, at) => `X-${at}: ${String(at).repeat(5_000)}\r\n`).join("");
  const head = "GET /k8s/clusters/east/api HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer good\r\n";
  expect((await sendRaw(harness.port, `${head}${lines}\r\n`)).status).toBe(200);
  const passed = opened[0]?.headers.filter((_, at, all) => at % 2 === 1 && /^X-\d+$/.test(all[at - 1] ?? ""));
  expect(passed).toEqual(Array.from({ length: 90 }, (_, at) => String(at).repeat(5_000)));
});

it("a request with more lines of headers than are read is refused: what it asks as whom may be among the rest", async () => {
  await using harness = await openProxyHarness();
  const lines = (count: number): string => Array.from({ length: count }, (_, at) => `X-${at}: 1\r\n`).join("");
  const ask = (count: number) => {
    const head =
      "GET /k8s/clusters/east/api HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer good\r\n";
    return sendRaw(harness.port, `${head}${lines(count)}Impersonate-User: bob\r\n\r\n`);
  };
  for (const count of [8_000, 8_500]) expect((await ask(count)).status).toBe(431);
  expect(harness.streams.opened).toBe(0);
  expect((await ask(7_900)).status).toBe(200);
});

async function openWith(options: {
  readonly groups: number;
  readonly lengthOf?: number;
  readonly agent: readonly string[];
  readonly opened: OpenHead[];
}): Promise<ProxyHarness> {
  const { groups: count, lengthOf = 12, agent, opened } = options;
  const groups = Array.from({ length: count }, (_, at) => String(at).padStart(lengthOf, "g"));
  const harness: ProxyHarness = await openProxyHarness({
    ports: {
      access: createTestAccess(({ principal }) => ({
        allowed: true,
        identity: { user: principal.name, groups },
        record: false,
      })),
      connections: () => [{ ...spyOn(harness.hubLink, opened), hello: { capabilities: [...agent] } }],
    },
  });
  return harness;
}
