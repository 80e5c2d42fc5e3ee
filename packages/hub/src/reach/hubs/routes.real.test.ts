// The list of hubs. The table of people/access/every-route.real.test.ts has who may ask for it.
import type { HubList } from "@fairlead/contract";
import { expect, it } from "vitest";
import { answer, call, dial, enroll, openTestHub, sayHello } from "../../hub.fixture.ts";

it("a hub that has its database alone lists itself, with its links and the agents that they come from", async () => {
  await using harness = await openTestHub();
  const list = async (): Promise<HubList> => {
    const { status, json } = await call(harness.hub.peopleUrl, "/api/v1/hubs", { headers: harness.admin });
    expect(status).toBe(200);
    return json as HubList;
  };
  const version = expect.stringMatching(/^\d+\.\d+\.\d+/);
  const self = { id: expect.stringMatching(/^hub_/), version, silentMs: 0, reach: "self" };
  expect(await list()).toEqual({ items: [{ ...self, since: expect.any(String), links: 0, agents: 0 }] });

  for (const [cluster, agent] of [
    ["east", "agt_1"],
    ["west", "agt_2"],
    ["west", "agt_2"],
  ] as const) {
    const known = await call(harness.hub.peopleUrl, `/api/v1/clusters/${cluster}`, { headers: harness.admin });
    if (known.status === 404) identities.set(cluster, await enroll(cluster, harness));
    const link = await dial(identities.get(cluster) ?? {}, harness, answer("x"));
    await sayHello(link, cluster, [1], agent);
  }
  // A link isn't an agent's before it has said Hello.
  await dial(identities.get("east") ?? {}, harness, answer("x"));
  await expect.poll(async () => (await list()).items[0]).toMatchObject({ links: 3, agents: 2 });
});

const identities = new Map<string, Awaited<ReturnType<typeof enroll>>>();
