// Agents tell a whole hub of their cluster, which decides where people's requests go.
import { createClient } from "@connectrpc/connect";
import { createLinkTransport, type HelloResponse, type Link, LinkService } from "@fairlead/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  answer,
  call,
  dial,
  enroll,
  openTestHub,
  type TestAnswer,
  type TestHub,
  type TestIdentity,
} from "../../hub.fixture.ts";

let hub: TestHub;
let count = 0;
const undo: (() => void)[] = [];

beforeAll(async () => {
  hub = await openTestHub();
}, 60_000);
afterAll(async () => {
  for (const each of undo) each();
  await hub?.[Symbol.asyncDispose]();
});

describe("11: an agent of another cluster isn't used", () => {
  it("knows the cluster by its first Hello that names it, whatever its role", async () => {
    const cluster = await addCluster(["observe", "proxy"]);
    await cluster.connect("right", { uid: "uid-1", text: "right" });
    const stray = await cluster.connect("stray", { uid: "uid-2", text: "stray" });
    expect(stray.welcome.refusal).toMatchObject({
      code: "CLUSTER_IDENTITY_MISMATCH",
      message: expect.stringContaining("the UID of its kube-system is uid-2, but the registered cluster's is uid-1"),
      hint: expect.stringContaining(`fairlead cluster confirm ${cluster.name}`),
    });
    for (let turn = 0; turn < 12; turn++) expect((await cluster.get()).text).toBe("right");
    const { json } = await api(`/api/v1/clusters/${cluster.name}`);
    expect(json).toMatchObject({ state: "connected", refusal: { code: "CLUSTER_IDENTITY_MISMATCH" } });
    const { events } = json as { events: { level: string; type: string }[] };
    expect(events.filter(({ level }) => level === "alarm")).toMatchObject([{ type: "cluster-replaced" }]);
  });

  it("never takes silence for the name that it knows", async () => {
    const cluster = await addCluster();
    const right = await cluster.connect("right", { uid: "uid-1", text: "right" });
    right.link.close("gone");
    const silent = await cluster.connect("silent", { uid: "", text: "silent" });
    expect(silent.welcome.refusal).toMatchObject({
      code: "CLUSTER_IDENTITY_UNPROVEN",
      hint: expect.stringContaining("kube-system"),
    });
    const refused = await cluster.get();
    expect(refused).toMatchObject({ status: 503, text: expect.stringContaining("CLUSTER_IDENTITY_UNPROVEN") });
    const shown = (await api(`/api/v1/clusters/${cluster.name}`)).json as { links: object[] };
    expect(shown).toMatchObject({ state: "stale", refusal: { code: "CLUSTER_IDENTITY_UNPROVEN" } });
    expect(shown.links).toMatchObject([{ refusal: { code: "CLUSTER_IDENTITY_UNPROVEN" } }]);
    // It was given the right to read it.
    expect((await silent.hello("uid-1")).refusal).toBeUndefined();
    expect((await cluster.get()).text).toBe("silent");
  });

  it("uses an agent that doesn't say as long as nobody has said", async () => {
    const cluster = await addCluster();
    const silent = await cluster.connect("old", { uid: "", text: "old" });
    expect(silent.welcome.refusal).toBeUndefined();
    expect((await cluster.get()).text).toBe("old");
    const { json } = await api(`/api/v1/clusters/${cluster.name}`);
    expect(json).toMatchObject({ state: "connected", linkedRoles: ["proxy"], identityRoles: ["proxy"] });
    expect(json).not.toHaveProperty("kubeSystemUid");
    expect(json).not.toHaveProperty("refusal");
  });

  it("drops an agent that leads to another cluster while it runs", async () => {
    const cluster = await addCluster();
    const moving = await cluster.connect("moving", { uid: "uid-1", text: "moving" });
    expect((await cluster.get()).text).toBe("moving");
    expect((await moving.hello("uid-2")).refusal?.code).toBe("CLUSTER_IDENTITY_MISMATCH");
    expect((await cluster.get()).text).toContain("CLUSTER_IDENTITY_MISMATCH");
    expect((await moving.hello("uid-1")).refusal).toBeUndefined();
    expect((await cluster.get()).text).toBe("moving");
  });

  it("goes to the one that was confirmed from then on, whatever its agent's role", async () => {
    const cluster = await addCluster();
    const before = await cluster.connect("before", { uid: "uid-1", text: "before" });
    await cluster.connect("after", { uid: "uid-2", text: "after" });
    expect((await cluster.get()).text).toBe("before");
    expect((await cluster.confirm("uid-3")).json).toMatchObject({ code: "INVENTORY_REPLACEMENT_UNKNOWN" });
    expect((await cluster.confirm("uid-2")).status).toBe(200);
    expect((await cluster.get()).text).toBe("after");
    expect((await before.hello("uid-1")).refusal?.code).toBe("CLUSTER_IDENTITY_MISMATCH");
    expect((await cluster.get()).text).toBe("after");
    const { json } = await api(`/api/v1/clusters/${cluster.name}`);
    expect(json).toMatchObject({ kubeSystemUid: "uid-2", state: "connected" });
  });
});

describe("a cluster that is enrolled under two names", () => {
  it("raises an alarm on both, once", async () => {
    const [first, second] = [await addCluster(), await addCluster()];
    await first.connect("first", { uid: "uid-twice", text: "first" });
    expect(await alarmsOf(first)).toEqual([]);
    const again = await second.connect("second", { uid: "uid-twice", text: "second" });
    await again.hello("uid-twice");
    const alike = `"${second.name}" and "${first.name}" are the same cluster: its kube-system is uid-twice.`;
    for (const cluster of [first, second])
      expect(await alarmsOf(cluster)).toMatchObject([
        { type: "cluster-enrolled-twice", count: 1, message: expect.stringContaining(alike) },
      ]);
  });

  it("raises none for a name that was revoked", async () => {
    const [revoked, next] = [await addCluster(), await addCluster()];
    await revoked.connect("revoked", { uid: "uid-moved", text: "revoked" });
    expect((await api(`/api/v1/clusters/${revoked.name}/revoke`, "POST")).status).toBe(200);
    await next.connect("next", { uid: "uid-moved", text: "next" });
    expect(await alarmsOf(next)).toEqual([]);
  });
});

interface TestCluster {
  readonly name: string;
  connect(instance: string, options: { uid: string; text: string }): Promise<Connected>;
  /** A request as kubectl makes it. */
  get(): Promise<TestAnswer>;
  confirm(kubeSystemUid: string): Promise<TestAnswer>;
}

interface Connected {
  readonly link: Link;
  readonly welcome: HelloResponse;
  hello(uid: string): Promise<HelloResponse>;
}

async function addCluster(roles: readonly string[] = ["proxy"]): Promise<TestCluster> {
  const name = `east-${++count}`;
  const identity: TestIdentity = await enroll(name, hub, roles);
  return {
    name,
    async connect(agentInstanceId, { uid, text }) {
      const link = await dial(identity, hub, answer(text));
      undo.push(() => link.close("test is over"));
      const hello = (kubeSystemUid: string) =>
        createClient(LinkService, createLinkTransport({ link })).hello({
          cluster: name,
          agentInstanceId,
          agentVersion: "0.1.0",
          protocolVersions: [1],
          capabilities: ["identity"],
          kubernetesVersion: "v1.36.3",
          kubeSystemUid,
          sentAtMs: BigInt(Date.now()),
        });
      return { link, welcome: await hello(uid), hello };
    },
    get: () => api(`/k8s/clusters/${name}/api/v1/nodes`),
    confirm: (kubeSystemUid) =>
      call(hub.hub.peopleUrl, `/api/v1/clusters/${name}/inventory/confirm`, {
        method: "POST",
        headers: { ...hub.admin, "content-type": "application/json" },
        body: JSON.stringify({ kubeSystemUid }),
      }),
  };
}

async function alarmsOf({ name }: TestCluster): Promise<readonly object[]> {
  return ((await api(`/api/v1/clusters/${name}`)).json as { alarms: object[] }).alarms;
}

function api(path: string, method = "GET"): Promise<TestAnswer> {
  return call(hub.hub.peopleUrl, path, { method, headers: hub.admin });
}
