// The mapping by destination in a cluster with Argo CD's kinds, through a real API server and a real link.
import { systemClock } from "@fairlead/kernel";
import { createKubeClient, getObject, type KubeClient, type KubeObject, loadKubeconfig } from "@fairlead/kube";
import { type Application, gitopsResources } from "@fairlead/protocol";
import { createNamespace, prepareArgoCrds, sharedCluster, type TestNamespace } from "@fairlead/testkit";
import pino from "pino";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { createSoleLead } from "../lead/index.ts";
import { hubApplication, ScriptedHub } from "./scripted-hub.fixture.ts";
import { createGitopsSync, type GitopsSync } from "./sync.ts";

let client: KubeClient;
let cluster: Awaited<ReturnType<typeof sharedCluster>>;
let undo: AsyncDisposableStack;
let hub: ScriptedHub;
/** Argo CD's own, and another that the agent may use. */
let argo: TestNamespace;
let team: TestNamespace;
/** The agent may use it, and it isn't there. */
let later: string;
let sync: GitopsSync;

beforeAll(async () => {
  cluster = await sharedCluster();
  await prepareArgoCrds(cluster);
  client = createKubeClient({ access: await loadKubeconfig({ path: cluster.adminKubeconfig }) });
}, 600_000);
afterAll(async () => {
  await client?.[Symbol.asyncDispose]();
});
beforeEach(async () => {
  undo = new AsyncDisposableStack();
  argo = undo.use(await createNamespace(cluster, "argo"));
  team = undo.use(await createNamespace(cluster, "team"));
  later = `${team.name}-later`;
  hub = undo.use(new ScriptedHub("managed"));
  declare("destination");
  await hub.listen();
  await hub.connect();
  undo.defer(startAgent());
});
afterEach(() => undo.disposeAsync());

test("an application keeps its namespace, and one of Argo CD's own on the hub is in Argo CD's own here", async () => {
  put("kept", { from: team.name });
  put("moved", { from: "hub-argo" });
  const kept = await untilThere(team.name, "kept");
  const moved = await untilThere(argo.name, "moved");
  expect(kept["spec"]).toMatchObject({ destination: { name: "in-cluster", namespace: "shop" } });
  expect(kept.metadata.annotations).not.toHaveProperty(remapped);
  expect(moved.metadata.annotations?.[remapped]).toBe("hub-argo");
  await write(kept, { status: { health: { status: "Healthy" } } });
  await vi.waitFor(() => expect(hub.status("uid-kept")?.status).toEqual({ health: { status: "Healthy" } }), patience);
  const asked = { id: "00000000000001-a", uid: "uid-kept", name: `${team.name}/kept`, action: "sync" } as const;
  hub.ask(asked, { sync: {} });
  await vi.waitFor(() => expect(hub.outcomes.get(asked.id)?.outcome).toBe("started"), patience);
  await remove(team.name, "kept");
  await vi.waitFor(async () => {
    const again = await untilThere(team.name, "kept");
    expect(again.metadata.uid).not.toBe(kept.metadata.uid);
  }, patience);
  for (const name of ["kept", "moved"]) hub.remove(`uid-${name}`);
  await untilGone(team.name, "kept");
  await untilGone(argo.name, "moved");
});

test("a namespace that the agent wasn't told of is refused, whatever the hub says", async () => {
  declare("destination", { createNamespaces: true });
  hub.endCalls();
  put("out", { from: "kube-system" });
  const [refusal] = await untilRefused(1);
  expect(refusal).toMatchObject({
    reason: "forbidden",
    message: expect.stringContaining("--argo-application-namespaces"),
  });
  expect(await find("kube-system", "out")).toBeUndefined();
});

test("a namespace that isn't there is made where the hub's rules say so", async () => {
  put("early", { from: later });
  await untilRefused(1);
  undo.defer(
    () => void client.request({ method: "DELETE", path: `/api/v1/namespaces/${later}` }).catch(() => undefined),
  );
  hub.cut();
  declare("destination", { createNamespaces: true });
  await hub.connect();
  await untilThere(later, "early");
});

test("of two that have one place the first stays, and the second comes when that one is gone", async () => {
  put("shop", { from: "hub-argo" });
  const { uid } = (await untilThere(argo.name, "shop")).metadata;
  put("shop", { from: "east", uid: "uid-other" });
  const [refusal] = await untilRefused(1);
  expect(refusal).toMatchObject({
    uid: "uid-other",
    reason: "taken",
    message: expect.stringContaining("hub-argo/shop"),
  });
  expect((await untilThere(argo.name, "shop")).metadata.uid).toBe(uid);
  hub.remove("uid-shop");
  await untilGone(argo.name, "shop");
  put("shop", { from: "east", uid: "uid-other", project: "next" });
  expect((await untilThere(argo.name, "shop")).metadata.annotations?.[remapped]).toBe("east");
});

test("another mapping deletes and makes nothing: copies that the hub still has stay as they are, and others do, too", async () => {
  await switchTo("namespace", () => {
    put("shop", { from: "east" });
    put("left", { from: "east" });
  });
  const [shop, left] = [await untilThere(argo.name, "shop"), await untilThere(argo.name, "left")];
  expect(shop.metadata.annotations).not.toHaveProperty(remapped);

  await switchTo("destination", () => {
    hub.remove("uid-left");
    put("new", { from: team.name });
  });
  await untilThere(team.name, "new");
  await vi.waitFor(async () => {
    const { metadata } = await untilThere(argo.name, "shop");
    expect(metadata).toMatchObject({ uid: shop.metadata.uid, annotations: { [remapped]: "east" } });
  }, patience);
  const stayed = await untilThere(argo.name, "left");
  expect(stayed.metadata).toMatchObject({
    uid: left.metadata.uid,
    resourceVersion: left.metadata.resourceVersion,
  });
  // The agent lets this copy alone: a change of it stays, and the hub isn't told.
  await write(stayed, { status: { health: { status: "Healthy" } } });

  await switchTo("namespace", () => {
    put("left", { from: "east" });
    hub.remove("uid-new");
  });
  await vi.waitFor(() => expect(hub.status("uid-left")?.status).toEqual({ health: { status: "Healthy" } }), patience);
  await vi.waitFor(() => expect(hub.source.isSettled("uid-shop")).toBe(true), patience);
  for (const [name, before] of [["shop", shop] as const, ["left", left] as const])
    expect((await untilThere(argo.name, name)).metadata.uid).toBe(before.metadata.uid);
  expect(await find(team.name, "new")).toBeDefined();
  hub.remove("uid-shop");
  await untilGone(argo.name, "shop");
});

function declare(mapping: "namespace" | "destination", more: { createNamespaces?: boolean } = {}): void {
  hub.hello.mapping = mapping;
  const remappedNamespaces = mapping === "destination" ? ["hub-argo", "east"] : [];
  hub.hello.rules = { hubNamespace: "east", remappedNamespaces, ...more };
}

/** As a hub does: without a call what it knew of the cluster is forgotten. */
async function switchTo(mapping: "namespace" | "destination", change: () => void): Promise<void> {
  hub.cut();
  declare(mapping);
  change();
  await hub.connect();
}

function put(name: string, of: { readonly from: string; readonly uid?: string; readonly project?: string }): void {
  const { from, uid = `uid-${name}`, project = "default" } = of;
  const application = hubApplication(name, uid, { namespace: from });
  hub.put({ ...application, spec: { ...application.spec, project } } as Application);
}

async function untilRefused(count: number): Promise<readonly object[]> {
  return await vi.waitFor(() => {
    const { refused } = hub.source.status();
    expect(refused).toHaveLength(count);
    return refused;
  }, patience);
}

function startAgent(): () => Promise<void> {
  const stopping = new AbortController();
  const lead = createSoleLead({ clock: systemClock });
  sync = createGitopsSync({
    argo: { namespace: argo.name, applicationNamespaces: [team.name, later], modes: ["managed"] },
    client,
    links: hub.links,
    lead,
    instanceId: "agent-1",
    kubeSystemUid: () => "east-uid",
    clock: systemClock,
    log: pino({ level: process.env["FAIRLEAD_TEST_LOG"] ?? "silent" }),
  });
  const running = Promise.all([lead.run(stopping.signal), sync.run(stopping.signal)]);
  return async () => {
    stopping.abort(new Error("The test stops the agent."));
    await running;
  };
}

async function find(namespace: string, name: string): Promise<KubeObject | undefined> {
  return await getObject({ client, resource: gitopsResources.applications, namespace, name });
}

async function untilThere(namespace: string, name: string): Promise<KubeObject> {
  return await vi.waitFor(async () => {
    const found = await find(namespace, name);
    expect(found).toBeDefined();
    return found as KubeObject;
  }, patience);
}

async function untilGone(namespace: string, name: string): Promise<void> {
  await vi.waitFor(async () => expect(await find(namespace, name)).toBeUndefined(), patience);
}

/** As Argo CD's controller does. */
async function write({ metadata: { namespace = "", name } }: KubeObject, fields: object): Promise<void> {
  await vi.waitFor(async () => {
    const body = { ...(await untilThere(namespace, name)), ...fields };
    await client.request({ method: "PUT", path: pathOf(namespace, name), body });
  }, patience);
}

async function remove(namespace: string, name: string): Promise<void> {
  await client.request({ method: "DELETE", path: pathOf(namespace, name) });
}

function pathOf(namespace: string, name: string): string {
  return `/apis/argoproj.io/v1alpha1/namespaces/${namespace}/applications/${name}`;
}

const remapped = "fairlead.dev/namespace-remapped";
const patience = { timeout: 60_000, interval: 50 };
