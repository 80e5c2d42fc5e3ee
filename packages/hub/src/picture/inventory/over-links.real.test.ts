// The inventory's call where it belongs: on the link of an agent that a whole hub let in.
import { createClient } from "@connectrpc/connect";
import { createLinkTransport, InventoryService, type Link, type SyncResponse } from "@fairlead/protocol";
import { afterEach, beforeEach, expect, it } from "vitest";
import { answer, call, dial, enroll, openTestHub, sayHello, type TestHub } from "../../hub.fixture.ts";
import { applied, pod, pods } from "./inventory.fixture.ts";

let harness: TestHub;
beforeEach(async () => {
  harness = await openTestHub();
}, 60_000);
afterEach(() => harness[Symbol.asyncDispose]());

/** Says these and then nothing more, without ending its direction. */
function sync(link: Link, ...messages: readonly object[]): AsyncIterator<SyncResponse> {
  async function* say(): AsyncGenerator<never> {
    for (const message of messages) yield { message } as never;
    await new Promise(() => undefined);
  }
  return createClient(InventoryService, createLinkTransport({ link })).sync(say())[Symbol.asyncIterator]();
}

async function until(answers: AsyncIterator<SyncResponse>, wanted: string): Promise<SyncResponse["message"]> {
  while (true) {
    const { done, value } = await answers.next();
    if (done) throw new Error("the call has ended");
    if (value.message.case === wanted) return value.message;
  }
}

const start = { case: "start", value: { kubeSystemUid: "u", agentInstanceId: "i1", leaseEpoch: 1n } };
const kinds = { case: "kinds", value: { changed: [{ ...pods, state: "synced" }] } };
const batch = { case: "batch", value: { sequence: 1n, changes: [applied(1, pod("a"))] } };

async function stateOf(cluster: string): Promise<unknown> {
  const shown = await call(harness.hub.peopleUrl, `/api/v1/clusters/${cluster}`, { headers: harness.admin });
  return (shown.json as { state: unknown }).state;
}

it("says in Hello that it keeps an inventory, and takes what an agent with the role reports", async () => {
  const link = await dial(await enroll("east", harness, ["observe"]), harness, answer(""));
  expect((await sayHello(link, "east")).capabilities).toContain("inventory");
  const answers = sync(link, start, kinds, batch);
  expect(await until(answers, "ack")).toMatchObject({ value: { sequence: 1n } });
  expect(await stateOf("east")).toBe("connected");
  link.close("done");
});

it("takes nothing from an agent without the role", async () => {
  const link = await dial(await enroll("east", harness, ["proxy"]), harness, answer(""));
  await sayHello(link, "east");
  await expect(sync(link, start, kinds, batch).next()).rejects.toThrow("INVENTORY_ROLE_REQUIRED");
  link.close("done");
});

it("ends the report of a cluster that is revoked", async () => {
  const link = await dial(await enroll("east", harness, ["observe"]), harness, answer(""));
  await sayHello(link, "east");
  const answers = sync(link, start, kinds, batch);
  await until(answers, "ack");
  const headers = { ...harness.admin, "content-type": "application/json" };
  await call(harness.hub.peopleUrl, "/api/v1/clusters/east/revoke", { method: "POST", headers, body: "{}" });
  await expect(answers.next()).rejects.toThrow();
  await link.closed;
});

it("isn't kept from stopping by reports that would never end", async () => {
  const link = await dial(await enroll("east", harness, ["observe"]), harness, answer(""));
  await sayHello(link, "east");
  const answers = sync(link, start, kinds, batch);
  await until(answers, "ack");
  const startedMs = performance.now();
  const [, ended] = await Promise.allSettled([harness[Symbol.asyncDispose](), answers.next()]);
  expect(ended).toMatchObject({
    status: "rejected",
    reason: { message: expect.stringContaining("INVENTORY_STOPPING") },
  });
  expect(performance.now() - startedMs).toBeLessThan(15_000);
});
