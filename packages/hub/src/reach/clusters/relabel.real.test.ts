// Labels of a cluster by the API of a whole hub: rights and streams follow them, and each change is on record.
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import { type Cluster, createHubClient, type HubClient } from "@fairlead/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, dial, enrollWith, openTestHub, sayHello, type TestHub } from "../../hub.fixture.ts";
import { fetchFromHub } from "../../people/audit/audit.fixture.ts";

const undo = new AsyncDisposableStack();
let harness: TestHub;
let admin: HubClient;
const tokens = new Map<string, string>();

beforeAll(async () => {
  harness = undo.use(await openTestHub());
  const baseUrl = harness.hub.peopleUrl;
  admin = createHubClient({ baseUrl, token: harness.hub.firstAdminToken ?? "", fetch: fetchFromHub });
  const { join } = await admin.createCluster({ name: "east", labels: { env: "test" } });
  const link = await dial(await enrollWith(join.token ?? "", harness), harness, (stream) => {
    stream.respond({ status: 200, headers: ["content-type", "application/json"] });
    stream.write(Buffer.from('{"type":"ADDED"}\n'));
    return { onData() {}, onEnd() {}, onReset() {} };
  });
  undo.defer(() => link.close("done"));
  await sayHello(link, "east");
  await admin.putRole("labeller", { hubRules: [{ verbs: ["update"], resources: ["clusters"] }] });
  for (const [name, role, env] of [
    ["tester", "viewer", "test"],
    ["labeller", "labeller", undefined],
    ["owner", "operator", "prod"],
  ] as const)
    await makeRobot(name, role, env);
}, 60_000);
afterAll(() => undo.disposeAsync());

describe("a cluster's labels", () => {
  it("change rights and end the streams that they gave, and each change is on record", async () => {
    const { ended } = await openWatch("tester");
    expect(await statusOf("owner")).toBe(403);
    await admin.updateCluster("east", { labels: { env: "prod" } });
    expect(await ended).toMatch(/"type":"ERROR".*"code":403/);
    expect([await statusOf("tester"), await statusOf("owner")]).toEqual([403, 200]);
    const { items } = await admin.listAudit({ user: "admin", limit: 1 });
    expect(items).toMatchObject([{ verb: "patch", resource: "clusters", name: "east", cluster: "east", status: 200 }]);
    expect((await admin.getCluster("east")).events[0]?.message).toBe("Changed by admin: label env=prod.");
    await admin.updateCluster("east", { labels: { env: "test" } });
    expect([await statusOf("tester"), await statusOf("owner")]).toEqual([200, 403]);
  });

  it("can't be changed by who may not, nor by who would give more than they have", async () => {
    for (const [name, code] of [
      ["tester", "ACCESS_DENIED"],
      ["owner", "ACCESS_DENIED"],
      ["labeller", "ACCESS_ESCALATION"],
    ] as const)
      expect(await patch(name, { labels: { env: "prod" } })).toMatchObject({ status: 403, json: { code } });
    expect((await admin.getCluster("east")).labels).toEqual({ env: "test" });
    expect(await patch("labeller", { labels: { note: "kept" } })).toMatchObject({ status: 200 });
    expect((await admin.getCluster("east")).labels).toEqual({ env: "test", note: "kept" });
  });
});

it("a protected cluster is deleted and revoked by nobody, and its agents stay", async () => {
  await admin.updateCluster("east", { protected: true });
  await expect(admin.removeCluster("east")).rejects.toMatchObject({ code: "CLUSTER_PROTECTED" });
  await expect(admin.revokeCluster("east", {})).rejects.toMatchObject({ code: "CLUSTER_PROTECTED" });
  expect(await statusOf("tester")).toBe(200);
  const { items } = await admin.listClusters();
  expect(items).toMatchObject([{ name: "east", protected: true } satisfies Partial<Cluster>]);
  await admin.updateCluster("east", { protected: false });
  expect((await admin.revokeCluster("east", {})).state).toBe("revoked");
});

async function makeRobot(name: string, role: string, env: string | undefined): Promise<void> {
  await admin.createRobot({ name });
  const clusters = env === undefined ? ({ all: true } as const) : { selector: { matchLabels: { env } } };
  await admin.createBinding({ subject: { kind: "robot", name }, role, clusters });
  tokens.set(name, (await admin.createRobotToken(name, { ttlMs: 3_600_000 })).token);
}

const watch = "/k8s/clusters/east/api/v1/pods?watch=1";

function headersOf(name: string): { authorization: string } {
  return { authorization: `Bearer ${tokens.get(name)}` };
}

function patch(name: string, body: object) {
  const headers = { ...headersOf(name), "content-type": "application/json" };
  const init = { method: "PATCH", headers, body: JSON.stringify(body) };
  return call(harness.hub.peopleUrl, "/api/v1/clusters/east", init);
}

async function statusOf(name: string): Promise<number | undefined> {
  const { status, close } = await openWatch(name);
  close();
  return status;
}

async function openWatch(name: string) {
  const agent = new Agent({ keepAlive: false, rejectUnauthorized: false });
  const client = request(harness.hub.peopleUrl + watch, { agent, headers: headersOf(name) });
  client.on("error", () => undefined).end();
  const [answer] = (await once(client, "response")) as [IncomingMessage];
  let text = "";
  answer.setEncoding("utf8").on("data", (chunk) => {
    text += chunk;
  });
  answer.on("error", () => undefined);
  const ended = new Promise<string>((resolve) => answer.once("close", () => resolve(text)));
  return { status: answer.statusCode, ended, close: () => client.destroy() };
}
