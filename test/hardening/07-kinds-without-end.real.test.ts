// An agent that names kinds without end, under one number after the other or under the same.
import { createClient } from "@connectrpc/connect";
import { createLinkTransport, InventoryService, type Link, type SyncResponse } from "@fairlead/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { answer, call, dial, enroll, openTestHub, sayHello, type TestHub } from "../../packages/hub/src/hub.fixture.ts";
import { applied, pod, pods, startInventory } from "../../packages/hub/src/picture/inventory/inventory.fixture.ts";

const most = 1_024;
let harness: TestHub;
let link: Link;

beforeAll(async () => {
  harness = await openTestHub();
  link = await dial(await enroll("greedy", harness, ["observe"]), harness, answer("ok"));
  await sayHello(link, "greedy");
}, 60_000);
afterAll(async () => {
  link.close("over");
  await harness[Symbol.asyncDispose]();
});

describe("07: kinds without end", () => {
  it("are kept up to a bound by name, the agent is told, and its call and link go on", async () => {
    const start = { case: "start", value: { kubeSystemUid: "u", agentInstanceId: "i1", leaseEpoch: 1n } };
    const floods = [0, 1, 2].map((round) => ({
      case: "kinds",
      value: {
        changed: [pods, ...Array.from({ length: 1_000 }, (_, index) => made(2 + round, round * 1_000 + index))],
      },
    }));
    const more = { case: "kinds", value: { changed: [made(9_000, 9_000)] } };
    const compare = { case: "compare", value: { kind: 9_000, bucketCount: 4 } };
    const list = { case: "listBuckets", value: { kind: 9_000, bucketCount: 4, buckets: [1] } };
    const changes = [applied(1, pod("a")), applied(9_000, pod("b"))];
    const batch = { case: "batch", value: { sequence: 1n, changes } };
    const answers = sync(start, ...floods, more, compare, list, batch);

    const said = new Map<string, object>();
    while (!said.has("ack")) {
      const { value } = await answers.next();
      said.set(value.message.case, value.message.value);
    }
    expect(said.get("refusal")).toMatchObject({ code: "INVENTORY_KINDS_TOO_MANY" });
    expect(said.get("digests")).toMatchObject({ kind: 9_000, objectCount: 0, digests: [0n, 0n, 0n, 0n] });
    expect(said.get("bucketEntries")).toMatchObject({ kind: 9_000, uids: [] });
    expect(said.get("ack")).toMatchObject({ sequence: 1n });

    const { items } = (await ask("/api/v1/kinds")).json as { items: unknown[] };
    expect(items.length).toBeLessThanOrEqual(most);
    expect((await ask("/api/v1/objects?kind=pods")).text).toContain("pod-a");
    await expect
      .poll(async () => JSON.stringify((await ask("/api/v1/clusters/greedy")).json))
      .toContain("INVENTORY_KINDS_TOO_MANY");
    expect(link.state).toBe("up");
  });

  it("that a hub without the bound has stored are gone with the next start, those without objects first", async () => {
    await using old = await startInventory();
    const cluster = await old.createCluster();
    const agent = old.dial(cluster);
    await agent.start();
    agent.send({ case: "kinds", value: { changed: [pods as never] } });
    agent.send({ case: "batch", value: { sequence: 1n, changes: [applied(1, pod("a"))] } } as never);
    await agent.until("ack");
    agent.cut();
    const rows = Array.from({ length: 3_000 }, (_, index) => ({
      cluster,
      kind: `kind${index}`,
      api_group: "",
      api_version: "v1",
      resource: `kind${index}`,
      kind_name: "Kind",
      namespaced: true,
      short_names: [],
      state: "synced",
      state_since: new Date(),
      printer_columns: null,
      code: null,
      message: null,
      verified_at: null,
    }));
    await old.store.db.insertInto("inventory_kind").values(rows).execute();
    await old.restart();
    expect(old.inventory.kinds(cluster)).toHaveLength(most);
    expect(old.inventory.kinds(cluster).map(({ kind }) => kind)).toContain("pods");
    const countStored = async (): Promise<number> =>
      (await old.store.db.selectFrom("inventory_kind").select("kind").where("cluster", "=", cluster).execute()).length;
    await expect.poll(countStored).toBe(most);
  });
});

function made(id: number, index: number): object {
  const resource = `things${index}`;
  return { ...pods, id, group: "example.com", resource, kind: `Thing${index}`, state: "synced" };
}

function ask(path: string): ReturnType<typeof call> {
  return call(harness.hub.peopleUrl, path, { headers: harness.admin });
}

/** Says these and then nothing more, without ending its direction. */
function sync(
  ...messages: readonly object[]
): AsyncIterator<SyncResponse & { message: { case: string; value: object } }> {
  async function* say(): AsyncGenerator<never> {
    for (const message of messages) yield { message } as never;
    await new Promise(() => undefined);
  }
  const answers = createClient(InventoryService, createLinkTransport({ link })).sync(say());
  return answers[Symbol.asyncIterator]() as never;
}
