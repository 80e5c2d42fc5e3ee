// An agent's numbers are its own affair: what one cluster says of itself mustn't keep hubs from telling each other of others.
import { afterAll, beforeAll, expect, it } from "vitest";
import { type FakeAgent, pods } from "./inventory.fixture.ts";
import { openSeveralHubs, type SeveralHubs } from "./several-hubs.fixture.ts";

let harness: SeveralHubs;
const poll = { timeout: 60_000, interval: 20 };
const huge = 4_294_967_295;

beforeAll(async () => {
  harness = await openSeveralHubs({ hubs: [{}, {}] });
}, 60_000);
afterAll(() => harness?.[Symbol.asyncDispose]());

it("an agent with the largest numbers that a message holds keeps no hub from telling of other clusters", async () => {
  const [boastful, honest] = [await harness.createCluster(), await harness.createCluster()];
  const [liar, agent] = [await begin(boastful), await begin(honest)];
  liar.send({
    case: "alive",
    value: { ages: [{ kind: 1, verifiedMsAgo: huge }], oldestPendingMs: huge, pendingChanges: huge },
  });
  agent.send({
    case: "alive",
    value: { ages: [{ kind: 1, verifiedMsAgo: 0 }], oldestPendingMs: 0, pendingChanges: 7 },
  });

  const elsewhere = harness.hub(1).inventory;
  await expect.poll(() => elsewhere.freshness(honest).pendingChanges, poll).toBe(7);
  await expect.poll(() => elsewhere.freshness(boastful).pendingChanges, poll).toBe(2 ** 31 - 1);

  // When it is gone, others are told of the end, and of what honest agents say next.
  liar.cut();
  agent.send({ case: "alive", value: { ages: [], oldestPendingMs: 0, pendingChanges: 8 } });
  await expect.poll(() => elsewhere.freshness(honest).pendingChanges, poll).toBe(8);
  await expect.poll(() => elsewhere.freshness(boastful).pendingChanges, poll).toBe(0);
  agent.cut();
});

async function begin(cluster: string): Promise<FakeAgent> {
  const agent = harness.hub(0).dial(cluster);
  await agent.start({ uid: cluster, instance: `agent of ${cluster}` });
  agent.send({ case: "kinds", value: { changed: [{ ...pods, state: "synced" }] } });
  return agent;
}
