// A long request is judged again when rights change, and ends at once when they are gone.

import { once } from "node:events";
import { until } from "@fairlead/kernel/testing";
import { describe, expect, it } from "vitest";
import { allowAll, createTestAccess, createTestAudit, deny, type TestAccess } from "./ports.fixture.ts";
import { authorized, openProxyHarness } from "./proxy-harness.fixture.ts";
import { openUpgrade } from "./upgrades.fixture.ts";

type Allowed = ReturnType<typeof allowAll>;
type Change = Parameters<TestAccess["change"]>[0];
const narrower: Change = {
  decide: (request) =>
    ({ ...allowAll(request), identity: { user: "alice", groups: [] } }) as ReturnType<typeof allowAll>,
};

function fail(): never {
  throw new Error("a policy that is broken");
}

describe("a watch in the middle of its answer", () => {
  it.each<[string, Change, RegExp]>([
    ["its user signs out or is removed", { signedOut: true }, /isn't signed in any more/],
    ["its user's role is taken away", { decide: deny("no binding") }, /may no longer do this: no binding/],
    ["its user has fewer groups in the cluster", narrower, /fewer rights/],
    ["it can't be judged", { decide: fail }, /can't be told/],
  ])("is cut when %s, and its record says why", async (_, change, reason) => {
    const access = createTestAccess();
    const audit = createTestAudit();
    let open = 0;
    await using harness = await openProxyHarness({
      ports: { access, audit },
      upstream(_req, res) {
        open += 1;
        res.on("close", () => {
          open -= 1;
        });
        res.write('{"type":"ADDED"}\n');
      },
    });
    const answer = await fetch(`${harness.url}/api/v1/pods?watch=1`, { headers: authorized });
    const reader = answer.body?.getReader();
    await reader?.read();
    access.change(change);
    // Never a clean end: it would look as if nothing else had happened.
    await expect(reader?.read()).rejects.toThrow();
    await until(() => open === 0, "the end of the watch at the upstream");
    expect(audit.records[0]?.outcome).toMatchObject({ status: 200, code: "PROXY_ACCESS_ENDED", reason });
  });

  it("goes on when somebody else's rights change", async () => {
    const access = createTestAccess();
    const writes: ((text: string) => void)[] = [];
    await using harness = await openProxyHarness({
      ports: { access },
      upstream(_req, res) {
        res.flushHeaders();
        writes.push((text) => res.write(text));
      },
    });
    const answer = await fetch(`${harness.url}/api/v1/pods?watch=1`, { headers: authorized });
    access.change({});
    writes[0]?.('{"type":"ADDED"}\n');
    const event = await answer.body?.getReader().read();
    expect(Buffer.from(event?.value ?? []).toString()).toBe('{"type":"ADDED"}\n');
  });
});

it("a request that waits for its answer is told that its caller's rights have ended", async () => {
  const access = createTestAccess();
  let asked = 0;
  await using harness = await openProxyHarness({
    ports: { access },
    upstream() {
      asked += 1;
    },
  });
  const waiting = fetch(`${harness.url}/api/v1/pods`, { headers: authorized });
  await until(() => asked === 1, "the request at the upstream");
  access.change({ signedOut: true });
  const answer = await waiting;
  expect(answer.status).toBe(401);
  expect(await answer.json()).toMatchObject({ details: { causes: [{ reason: "PROXY_ACCESS_ENDED" }] } });
});

it.each<[string, Change]>([
  ["its user's rights end", { decide: deny("role removed") }],
  ["it is to be recorded from now on", { decide: (request) => ({ ...allowAll(request), record: true }) as Allowed }],
])("a session in a pod is cut on both sides when %s", async (_, change) => {
  const access = createTestAccess();
  const audit = createTestAudit();
  let upstreamEnded = false;
  await using harness = await openProxyHarness({
    ports: { access, audit },
    onUpgrade(_req, socket) {
      socket.on("error", () => undefined);
      socket.on("end", () => {
        upstreamEnded = true;
      });
      socket.resume();
      socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n$ ");
    },
  });
  const client = openUpgrade(harness.port, "SPDY/3.1");
  await until(() => client.text.endsWith("$ "), "the prompt");
  access.change(change);
  await once(client, "end");
  await until(() => upstreamEnded, "the end at the upstream");
  expect(audit.records[0]).toMatchObject({
    start: { isLong: true, attributes: { verb: "create", subresource: "exec" } },
    outcome: { status: 101, code: "PROXY_ACCESS_ENDED" },
  });
});
