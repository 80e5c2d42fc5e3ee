// Agents claim more than their certificates say, and none of it counts.
import { createClient } from "@connectrpc/connect";
import { createLinkTransport, type Link, LinkService } from "@fairlead/protocol";
import { afterAll, beforeAll, expect, it } from "vitest";
import { answer, call, dial, enroll, openTestHub, sayHello, type TestHub } from "../../hub.fixture.ts";

let harness: TestHub;
beforeAll(async () => {
  harness = await openTestHub();
}, 60_000);
afterAll(() => harness[Symbol.asyncDispose]());

it("an agent that calls itself another cluster's is never asked for that one", async () => {
  const honest = await dial(await enroll("honest", harness), harness, answer("honest"));
  await sayHello(honest, "honest");
  const liar = await dial(await enroll("liar", harness), harness, answer("liar"));
  await expect(sayHello(liar, "honest")).rejects.toThrow(/LINK_HELLO_MISMATCH/);
  expect(await ask("honest")).toBe("honest");
  honest.close("gone");
  await honest.closed;
  expect(await ask("honest")).not.toBe("liar");
  liar.close("done");
}, 20_000);

it("an agent that calls itself a proxy without that role is never asked for its cluster's API", async () => {
  const watcher = await dial(await enroll("watched", harness, ["observe"]), harness, answer("stolen"));
  await hello(watcher, "watched", ["proxy"]);
  const body = await ask("watched");
  expect(body).toContain("PROXY_NOT_CONNECTED");
  expect(body).not.toContain("stolen");
  watcher.close("done");
}, 20_000);

it("an agent that doesn't say that it impersonates is never asked", async () => {
  const old = await dial(await enroll("old", harness), harness, answer("with the agent's rights"));
  await hello(old, "old", ["proxy"], []);
  expect(await ask("old")).toContain("PROXY_AGENT_TOO_OLD");
  old.close("done");
});

function hello(link: Link, cluster: string, roles: string[], capabilities: string[] = ["identity"]) {
  return createClient(LinkService, createLinkTransport({ link })).hello({
    cluster,
    roles,
    capabilities,
    agentInstanceId: cluster,
    agentVersion: "0.1.0",
    protocolVersions: [1],
    kubernetesVersion: "v1.36.3",
    sentAtMs: BigInt(Date.now()),
  });
}

async function ask(cluster: string): Promise<string> {
  return (await call(harness.hub.peopleUrl, `/k8s/clusters/${cluster}/version`, { headers: harness.admin })).text;
}
