// Agents say themselves which instance they are. The word of another agent must not cost an agent its link.
import { createCsr } from "@fairlead/protocol/x509";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  answer,
  call,
  dial,
  enroll,
  openTestHub,
  sayHello,
  type TestHub,
  type TestIdentity,
} from "../../hub.fixture.ts";

let harness: TestHub;
beforeAll(async () => {
  harness = await openTestHub();
}, 60_000);
afterAll(() => harness[Symbol.asyncDispose]());

describe("an agent that names the instance of another of its cluster", () => {
  it.each([
    ["with other roles", "roles", ["observe"]],
    ["with the same roles and another key", "key", ["proxy"]],
  ])("takes nothing from it: %s", async (_, cluster, roles) => {
    const proxy = await dial(await enroll(cluster, harness), harness, answer("the proxy"));
    await sayHello(proxy, cluster, [1], "the-one");
    const thief = await dial(await enrollAgain(cluster, roles), harness, answer("the thief"));
    await sayHello(thief, cluster, [1], "the-one");
    const shown = await call(harness.hub.peopleUrl, `/api/v1/clusters/${cluster}`, { headers: harness.admin });
    expect(linesOf("link drains", cluster)).toEqual([]);
    expect(shown.json).toMatchObject({ state: "connected" });
    thief.close("done");
    await thief.closed;
    expect((await call(harness.hub.peopleUrl, `/k8s/clusters/${cluster}/api`, { headers: harness.admin })).text).toBe(
      "the proxy",
    );
    proxy.close("done");
  });
});

describe("an agent that begins a new link", () => {
  it("gives up the one before it", async () => {
    const identity = await enroll("again", harness);
    const first = await dial(identity, harness, answer("the first"));
    await sayHello(first, "again", [1], "the-one");
    const second = await dial(identity, harness, answer("the second"));
    await sayHello(second, "again", [1], "the-one");
    expect(linesOf("link drains", "again")).toHaveLength(1);
    expect((await call(harness.hub.peopleUrl, "/k8s/clusters/again/api", { headers: harness.admin })).text).toBe(
      "the second",
    );
    for (const link of [first, second]) link.close("done");
  });
});

describe("an agent that introduces itself all the time", () => {
  it("is told to stop, and keeps its link", async () => {
    const link = await dial(await enroll("polite", harness), harness, answer("polite"));
    for (let count = 0; count < 16; count++) await sayHello(link, "polite");
    await expect(sayHello(link, "polite")).rejects.toThrow(/LINK_HELLO_TOO_OFTEN/);
    expect((await call(harness.hub.peopleUrl, "/k8s/clusters/polite/api", { headers: harness.admin })).text).toBe(
      "polite",
    );
    link.close("done");
  });
});

async function enrollAgain(cluster: string, roles: readonly string[]): Promise<TestIdentity> {
  const headers = { ...harness.admin, "content-type": "application/json" };
  const path = `/api/v1/clusters/${cluster}/tokens`;
  const made = await call(harness.hub.peopleUrl, path, { method: "POST", headers, body: JSON.stringify({ roles }) });
  const { token } = made.json as { token: string };
  const { keyPem, csrDer } = await createCsr({});
  const body = JSON.stringify({ token, csrDer: Buffer.from(csrDer).toString("base64"), roles });
  const answer = await call(harness.hub.agentUrl, "/agent/v1/enroll", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
  return { cert: (answer.json as { certificateChainPem: string }).certificateChainPem, key: keyPem };
}

function linesOf(message: string, cluster: string): unknown[] {
  const lines = harness.lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  return lines.filter((line) => line["msg"] === message && line["cluster"] === cluster);
}
