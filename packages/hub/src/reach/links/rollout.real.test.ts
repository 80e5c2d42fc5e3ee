// Agents that come and go under a load that isn't interrupted.
import { createClient } from "@connectrpc/connect";
import { createLinkTransport, IdentityService, type Link, LinkService } from "@fairlead/protocol";
import { createCsr } from "@fairlead/protocol/x509";
import { afterAll, beforeAll, expect, it } from "vitest";
import { answer, call, dial, enroll, openTestHub, type TestHub, type TestIdentity } from "../../hub.fixture.ts";

let harness: TestHub;

beforeAll(async () => {
  harness = await openTestHub();
}, 60_000);
afterAll(() => harness[Symbol.asyncDispose]());

it("fails no request while each of two replicas is replaced by a new one", async () => {
  const identity = await enroll("rolling", harness);
  const replicas = [await start(identity, "rolling", "a1"), await start(identity, "rolling", "b1")];
  const load = keepAsking("rolling");
  for (const [round, next] of ["a2", "b2", "a3", "b3", "a4", "b4"].entries()) {
    const successor = await start(identity, "rolling", next);
    await load.goOn(10);
    await replicas[round % 2]?.goAway({ reason: "agent is stopping", drainMs: 10_000 });
    replicas[round % 2] = successor;
  }
  const answers = await load.stop();
  expect(answers.filter((text) => text !== "rolling")).toEqual([]);
  for (const replica of replicas) replica.close("done");
}, 60_000);

it("fails no request while one of two replicas dies without a word, but for those that it had", async () => {
  const identity = await enroll("mortal", harness);
  const doomed = await start(identity, "mortal", "a1");
  const other = await start(identity, "mortal", "b1");
  const load = keepAsking("mortal");
  await load.goOn(10);
  doomed.close("killed");
  await load.goOn(10);
  const answers = await load.stop();
  expect(answers.filter((text) => text !== "mortal").length).toBeLessThanOrEqual(concurrency);
  expect(answers.slice(-concurrency)).toEqual(Array.from({ length: concurrency }, () => "mortal"));
  other.close("done");
}, 60_000);

it("fails no request while certificates are renewed, over and over", async () => {
  const identity = await enroll("renewing", harness);
  const link = await start(identity, "renewing", "a1");
  const load = keepAsking("renewing");
  const client = createClient(IdentityService, createLinkTransport({ link }));
  for (let round = 0; round < 5; round++) {
    const { csrDer } = await createCsr(round % 2 === 0 ? { keyPem: identity.key ?? "" } : {});
    await client.renew({ csrDer: Uint8Array.from(csrDer) });
    await load.goOn(5);
  }
  const answers = await load.stop();
  expect(answers.filter((text) => text !== "renewing")).toEqual([]);
  link.close("done");
}, 60_000);

it("spreads requests that last over both replicas", async () => {
  const identity = await enroll("spread", harness);
  const counts = { a1: 0, b1: 0 };
  const links: Link[] = [];
  for (const name of ["a1", "b1"] as const) {
    const link = await dial(identity, harness, (stream) => {
      counts[name]++;
      setTimeout(() => answer("spread")(stream), 100);
      return { onData() {}, onEnd() {}, onReset() {} };
    });
    await introduce(link, "spread", name);
    links.push(link);
  }
  const answers = await Promise.all(Array.from({ length: 10 }, () => ask("spread")));
  expect(new Set(answers)).toEqual(new Set(["spread"]));
  expect(Math.min(counts.a1, counts.b1)).toBeGreaterThanOrEqual(3);
  for (const link of links) link.close("done");
}, 60_000);

const concurrency = 3;

/** Requests one after the other, several at a time, until told to stop; every answer counts. */
function keepAsking(cluster: string): { goOn(answers: number): Promise<void>; stop(): Promise<string[]> } {
  let isOver = false;
  const answers: string[] = [];
  const runs = Array.from({ length: concurrency }, async () => {
    while (!isOver) answers.push(await ask(cluster));
  });
  return {
    async goOn(count) {
      const enough = answers.length + count;
      await expect.poll(() => answers.length).toBeGreaterThanOrEqual(enough);
    },
    async stop() {
      isOver = true;
      await Promise.all(runs);
      return answers;
    },
  };
}

async function start(identity: TestIdentity, cluster: string, agentInstanceId: string): Promise<Link> {
  const link = await dial(identity, harness, answer(cluster));
  await introduce(link, cluster, agentInstanceId);
  return link;
}

async function introduce(link: Link, cluster: string, agentInstanceId: string): Promise<void> {
  const client = createClient(LinkService, createLinkTransport({ link }));
  await client.hello({ cluster, agentInstanceId, protocolVersions: [1], capabilities: ["identity"] });
}

async function ask(cluster: string): Promise<string> {
  return (await call(harness.hub.peopleUrl, `/k8s/clusters/${cluster}/api`, { headers: harness.admin })).text;
}
