// Applications of the hub in a cluster with Argo CD's kinds, through a real API server and a real link. The tests play
// Argo CD's controllers.
import { systemClock } from "@fairlead/kernel";
import { createKubeClient, getObject, type KubeClient, type KubeObject, loadKubeconfig } from "@fairlead/kube";
import { type Application, type GitopsKind, gitopsResources } from "@fairlead/protocol";
import { createNamespace, prepareArgoCrds, sharedCluster, type TestNamespace } from "@fairlead/testkit";
import pino from "pino";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { createSoleLead } from "../lead/index.ts";
import { hubApplication, ScriptedHub } from "./scripted-hub.fixture.ts";
import { createGitopsSync, type GitopsSync } from "./sync.ts";

let cluster: Awaited<ReturnType<typeof sharedCluster>>;
let client: KubeClient;
let namespace: TestNamespace;
let hub: ScriptedHub;
let agent: { readonly sync: GitopsSync; stop(): Promise<void> };
const patience = { timeout: 60_000, interval: 50 };
const applications = gitopsResources.applications;

beforeAll(async () => {
  cluster = await sharedCluster();
  await prepareArgoCrds(cluster);
  client = createKubeClient({ access: await loadKubeconfig({ path: cluster.adminKubeconfig }) });
}, 600_000);
afterAll(async () => {
  await client?.[Symbol.asyncDispose]();
});
beforeEach(async () => {
  namespace = await createNamespace(cluster, "argo");
  hub = new ScriptedHub("managed");
  await hub.listen();
  await hub.connect();
  agent = startAgent();
});
afterEach(async () => {
  await agent.stop();
  await hub[Symbol.asyncDispose]();
  await namespace[Symbol.asyncDispose]();
});

test("an application of the hub is made in Argo CD's namespace, for its own cluster, changed and deleted", async () => {
  const owner = { apiVersion: "v1", kind: "ConfigMap", name: "x", uid: "y" };
  const created = hubApplication("shop", "uid-1", { labels: { team: "a" }, ownerReferences: [owner] });
  hub.put(created);
  const copy = await untilThere("shop");
  expect(copy.metadata).toMatchObject({ labels: { team: "a" }, annotations: { "fairlead.dev/source-uid": "uid-1" } });
  expect(copy.metadata.ownerReferences).toBeUndefined();
  expect(copy["spec"]).toEqual({ ...created.spec, destination: { name: "in-cluster", namespace: "shop" } });

  hub.put({ ...created, spec: { ...created.spec, project: "other" } });
  await vi.waitFor(async () => expect((await find("shop"))?.["spec"]).toMatchObject({ project: "other" }), patience);

  hub.remove("uid-1");
  await untilGone("shop");
});

test("the status of a copy comes back, and an application of the cluster's own stays its own", async () => {
  await create({ ...hubApplication("local", "ignored"), metadata: { name: "local", namespace: namespace.name } });
  hub.put(hubApplication("shop", "uid-1"));
  await untilThere("shop");
  await change("shop", (there) => ({ ...there, status: { health: { status: "Healthy" } } }));
  await vi.waitFor(() => expect(hub.status("uid-1")?.status).toEqual({ health: { status: "Healthy" } }), patience);
  expect([...(hub.mirrored.get("applications.status") ?? [])].map(([uid]) => uid)).toEqual(["uid-1"]);
});

test("what is changed, unstamped or deleted in the cluster is put back, also while the hub is away", async () => {
  hub.put(hubApplication("shop", "uid-1"));
  const copy = await untilThere("shop");
  await vi.waitFor(() => expect(hub.source.isSettled("uid-1")).toBe(true), patience);
  hub.cut();
  await change("shop", (there) => ({ ...there, spec: { ...(there["spec"] as object), project: "mine" } }));
  await untilProject("shop", "default");
  await change("shop", (there) => ({
    ...there,
    metadata: { ...there.metadata, annotations: {}, labels: { mine: "yes" } },
  }));
  await vi.waitFor(async () => {
    const { metadata } = await untilThere("shop");
    expect(metadata.annotations?.["fairlead.dev/source-uid"]).toBe("uid-1");
    expect(metadata.labels?.["mine"]).toBeUndefined();
  }, patience);
  await remove("shop");
  await vi.waitFor(async () => {
    const again = await find("shop");
    expect(again?.metadata.uid).toBeDefined();
    expect(again?.metadata.uid).not.toBe(copy.metadata.uid);
  }, patience);
});

test("what was changed while neither agent nor hub was there is put back, and what the hub deleted meanwhile goes", async () => {
  hub.put(hubApplication("shop", "uid-1"));
  hub.put(hubApplication("old", "uid-2"));
  await untilThere("shop");
  await untilThere("old");
  await agent.stop();
  await change("shop", (there) => ({ ...there, spec: { ...(there["spec"] as object), project: "mine" } }));
  hub.remove("uid-2");
  agent = startAgent();
  await untilProject("shop", "default");
  await untilGone("old");
});

test("a sync is started once, however often it is handed over, and its end and a refresh reach the application", async () => {
  hub.put(hubApplication("shop", "uid-1"));
  await untilThere("shop");
  const sync = { id: "00000000000001-a", uid: "uid-1", name: "east/shop", action: "sync" } as const;
  hub.ask(sync, { sync: { revision: "abc" } });
  await vi.waitFor(
    () => expect(hub.outcomes.get(sync.id)).toEqual(expect.objectContaining({ outcome: "started" })),
    patience,
  );
  const { operation } = (await untilThere("shop")) as KubeObject & Application;
  expect(operation).toMatchObject({ sync: { revision: "abc" }, info: [{ name: "fairlead.dev/operation-id" }] });
  await vi.waitFor(() => expect(hub.status("uid-1")?.operation).toEqual(operation), patience);

  const startedAt = "2026-01-01T00:00:00Z";
  await change("shop", (there) => ({ ...there, status: { operationState: runningSince(startedAt) } }));
  await vi.waitFor(() => expect(hub.status("uid-1")?.status.operationState?.phase).toBe("Running"), patience);
  const second = { ...sync, id: "00000000000002-a" };
  hub.ask(second, { sync: {} });
  const end = { ...sync, action: "terminate", id: "01767225600000-terminate" } as const;
  hub.ask(end, { startedAt });
  await vi.waitFor(() => expect(hub.outcomes.get(end.id)?.outcome).toBe("started"), patience);
  expect((await untilThere("shop"))["status"]).toMatchObject({ operationState: { phase: "Terminating" } });
  expect(hub.outcomes.get(second.id)).toBeUndefined();

  await change("shop", ({ operation: _over, ...there }) => there);
  await vi.waitFor(() => expect(hub.outcomes.get(second.id)?.outcome).toBe("started"), patience);

  const refresh = { ...sync, action: "refresh", id: "00000000000003-a" } as const;
  hub.ask(refresh, { refresh: "hard" });
  await vi.waitFor(() => expect(hub.outcomes.get(refresh.id)?.outcome).toBe("started"), patience);
  const refreshed = await untilThere("shop");
  expect(refreshed.metadata.annotations?.["argocd.argoproj.io/refresh"]).toBe("hard");
  await change("shop", (there) => {
    const { "argocd.argoproj.io/refresh": _done, ...annotations } = there.metadata.annotations ?? {};
    return { ...there, metadata: { ...there.metadata, annotations } };
  });
  await vi.waitFor(() => expect(hub.status("uid-1")?.refresh).toEqual({}), patience);
});

test("an application that is being deleted with a finalizer is pruned by the cluster before it is gone on the hub", async () => {
  const finalizers = ["resources-finalizer.argocd.argoproj.io"];
  const application = hubApplication("shop", "uid-1", { finalizers });
  hub.put(application);
  await untilThere("shop");
  await vi.waitFor(() => expect(hub.status("uid-1")).toBeDefined(), patience);
  hub.put({ ...application, metadata: { ...application.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } });
  await vi.waitFor(async () => expect((await find("shop"))?.metadata.deletionTimestamp).toBeDefined(), patience);
  expect(hub.status("uid-1")).toBeDefined();
  await change("shop", (there) => ({ ...there, metadata: { ...there.metadata, finalizers: [] } }));
  await vi.waitFor(() => expect(hub.status("uid-1")).toBeUndefined(), patience);
  expect(await find("shop")).toBeUndefined();
});

test("an application that the API server refuses is said to the hub, and others go on", async () => {
  const bad = hubApplication("bad", "uid-1");
  hub.put({ ...bad, spec: { ...bad.spec, project: 7 as unknown as string } });
  hub.put(hubApplication("good", "uid-2"));
  await untilThere("good");
  await vi.waitFor(() => {
    expect(hub.source.status().refused).toMatchObject([{ uid: "uid-1", reason: "invalid" }]);
  }, patience);
  hub.put(bad);
  await untilThere("bad");
});

test("a field that the cluster's Argo CD doesn't have is said to the hub, and the copy stays as it was", async () => {
  const shop = hubApplication("shop", "uid-1");
  hub.put(shop);
  await untilThere("shop");
  hub.put({ ...shop, spec: { ...shop.spec, project: "next", ofALaterArgo: true } });
  await vi.waitFor(() => {
    const message = expect.stringContaining('unknown field "spec.ofALaterArgo"') as string;
    expect(hub.source.status().refused).toMatchObject([{ uid: "uid-1", reason: "invalid", message }]);
  }, patience);
  expect((await find("shop"))?.["spec"]).toMatchObject({ project: "default" });
  hub.put({ ...shop, spec: { ...shop.spec, project: "next" } });
  await untilProject("shop", "next");
  expect(hub.source.status().refused).toEqual([]);
});

test("with other rules of the hub the ends are built anew: what is nobody's copy isn't taken over", async () => {
  await create({ ...hubApplication("shop", "ignored"), metadata: { name: "shop", namespace: namespace.name } });
  hub.hello.rules = { adoption: "never" };
  hub.endCalls();
  hub.put(hubApplication("shop", "uid-1"));
  await vi.waitFor(() => expect(hub.source.status().refused).toMatchObject([{ reason: "taken" }]), patience);
  expect((await untilThere("shop")).metadata.annotations).toBeUndefined();
});

test.each([
  ["recreate", "is deleted without what it deployed, and made anew"],
  ["upsert", "becomes the copy of the new one"],
])("with the rule %s a copy of an application that was made anew at the hub %s", async (onUidMismatch) => {
  const finalizers = ["resources-finalizer.argocd.argoproj.io"];
  hub.hello.rules = { onUidMismatch };
  hub.endCalls();
  hub.put(hubApplication("shop", "uid-1", { finalizers }));
  const { uid } = (await untilThere("shop")).metadata;
  await vi.waitFor(() => expect(hub.source.isSettled("uid-1")).toBe(true), patience);
  // As with a hub whose API server was restored elsewhere: the new one comes before the old one is said to be gone.
  hub.put(hubApplication("shop", "uid-2", { finalizers }));
  await vi.waitFor(() => expect(hub.source.isSettled("uid-2")).toBe(true), patience);
  hub.remove("uid-1");
  await vi.waitFor(() => expect(hub.source.status().objects).toBe(1), patience);
  const { metadata } = await untilThere("shop");
  expect(metadata).toMatchObject({ finalizers, annotations: { "fairlead.dev/source-uid": "uid-2" } });
  expect(metadata.deletionTimestamp).toBeUndefined();
  expect(metadata.uid === uid).toBe(onUidMismatch === "upsert");
});

test("projects, repositories and GPG keys of the hub are kept alike, and Argo CD's own Secrets are left alone", async () => {
  const common = { namespace: "east", annotations: {} };
  const project = { apiVersion: "argoproj.io/v1alpha1", kind: "AppProject", spec: { sourceRepos: ["*"] } };
  hub.putProject({ ...project, metadata: { ...common, name: "team", uid: "p-1" } });
  const secret = { apiVersion: "v1", kind: "Secret", type: "Opaque", data: { url: "eA==" } };
  const labels = { "argocd.argoproj.io/secret-type": "repository" };
  hub.putData("repositories", { ...secret, metadata: { ...common, name: "repo", uid: "r-1", labels } });
  await createIn("/api/v1", "secrets", { ...secret, metadata: { name: "argocd-secret" } });
  hub.putData("repositories", { ...secret, metadata: { ...common, name: "argocd-secret", uid: "r-2", labels } });
  const keys = { apiVersion: "v1", kind: "ConfigMap", data: { key: "of the hub" } };
  const gpg = { name: "argocd-gpg-keys-cm" };
  await createIn("/api/v1", "configmaps", { ...keys, metadata: gpg, data: { local: "key" } });
  hub.putData("gpg-keys", { ...keys, metadata: { ...common, ...gpg, uid: "g-1" } });

  await vi.waitFor(
    async () => expect(await dataOf("projects", "team")).toMatchObject({ spec: project.spec }),
    patience,
  );
  await vi.waitFor(
    async () => expect(await dataOf("repositories", "repo")).toMatchObject({ data: secret.data }),
    patience,
  );
  await vi.waitFor(async () => expect((await dataOf("gpg-keys", gpg.name))?.["data"]).toEqual(keys.data), patience);
  const refused = () => hub.sources.get("repositories")?.status().refused;
  await vi.waitFor(() => expect(refused()).toMatchObject([{ uid: "r-2", reason: "taken" }]), patience);
  expect((await dataOf("repositories", "argocd-secret"))?.metadata.annotations).toBeUndefined();

  hub.remove("g-1", "gpg-keys");
  hub.remove("r-1", "repositories");
  await vi.waitFor(async () => expect(await dataOf("repositories", "repo")).toBeUndefined(), patience);
  await vi.waitFor(async () => expect((await dataOf("gpg-keys", gpg.name))?.["data"]).toBeUndefined(), patience);
});

test("an autonomous cluster tells of its applications and projects, and what the hub asks of them is started", async () => {
  await agent.stop();
  await hub[Symbol.asyncDispose]();
  hub = new ScriptedHub("autonomous");
  await hub.listen();
  await hub.connect();
  agent = startAgent();
  const own = { name: "own", namespace: namespace.name };
  await create({ ...hubApplication("own", ""), metadata: own, status: { health: { status: "Healthy" } } });
  await create({
    ...hubApplication("private", ""),
    metadata: { ...own, name: "private", labels: { "fairlead.dev/ignore-sync": "true" } },
  });
  const { uid } = (await untilThere("own")).metadata;
  await vi.waitFor(() => expect(hub.mirrored.get("applications")?.get(uid)).toMatchObject({ metadata: own }), patience);
  await vi.waitFor(() => expect(hub.status(uid)?.status).toEqual({ health: { status: "Healthy" } }), patience);
  expect([...(hub.mirrored.get("applications") ?? [])].map(([told]) => told)).toEqual([uid]);

  const sync = { id: "00000000000001-a", uid, name: "east/own", action: "sync" } as const;
  hub.ask(sync, { sync: {} });
  await vi.waitFor(() => expect(hub.outcomes.get(sync.id)?.outcome).toBe("started"), patience);

  hub.cut();
  await remove("own");
  await agent.stop();
  agent = startAgent();
  expect(hub.status(uid)).toBeDefined();
  await hub.connect();
  await vi.waitFor(() => expect(hub.mirrored.get("applications")?.has(uid)).toBe(false), patience);
});

test("an agent that may not read applications says so and deletes nothing; with the right it goes on by itself", async () => {
  hub.put(hubApplication("shop", "uid-1"));
  await untilThere("shop");
  await agent.stop();
  hub.hellos.length = 0;
  const user = `agent-of-${namespace.name}`;
  const kubeconfig = await cluster.kubeconfigForUser({ user });
  await using restricted = createKubeClient({ access: await loadKubeconfig({ path: kubeconfig }) });
  agent = startAgent(restricted);
  await vi.waitFor(
    () => expect(abilityOf("applications")).toMatchObject({ canRead: false, code: "KUBE_FORBIDDEN" }),
    patience,
  );
  expect(agent.sync.failures().map(({ code }) => code)).toContain("KUBE_FORBIDDEN");
  hub.remove("uid-1");
  hub.put(hubApplication("next", "uid-2"));
  const verbs = "--verb=get,list,watch,create,update,delete";
  const resources = "--resource=applications.argoproj.io,appprojects.argoproj.io,secrets,configmaps";
  await cluster.kubectl(["-n", namespace.name, "create", "role", "argo", verbs, resources]);
  await cluster.kubectl(["-n", namespace.name, "create", "rolebinding", "argo", "--role=argo", `--user=${user}`]);
  await untilThere("next");
  await untilGone("shop");
  await vi.waitFor(() => expect(abilityOf("applications")).toMatchObject({ canRead: true, canWrite: true }), patience);
  await vi.waitFor(() => expect(agent.sync.failures()).toEqual([]), patience);
  await agent.stop();
}, 60_000);

test("a hub that owned the sync earlier is turned away, and a mode that the agent doesn't take deletes nothing", async () => {
  hub.put(hubApplication("shop", "uid-1"));
  await untilThere("shop");
  hub.hello.ownerTerm = 0n;
  hub.endCalls();
  await vi.waitFor(() => expect(agent.sync.shortcoming).toMatchObject({ code: "GITOPS_OWNER_OUTDATED" }), patience);
  hub.hello.ownerTerm = 2n;
  hub.hello.mode = "something new";
  await vi.waitFor(() => expect(agent.sync.shortcoming).toMatchObject({ code: "GITOPS_MODE_REFUSED" }), patience);
  expect(await find("shop")).toBeDefined();
});

function startAgent(as: KubeClient = client): typeof agent {
  const stopping = new AbortController();
  const { signal } = stopping;
  const lead = createSoleLead({ clock: systemClock });
  const sync = createGitopsSync({
    argo: { namespace: namespace.name, applicationNamespaces: [], modes: ["managed", "autonomous"] },
    client: as,
    links: hub.links,
    lead,
    instanceId: "agent-1",
    kubeSystemUid: () => "east-uid",
    clock: systemClock,
    log: pino({ level: process.env["FAIRLEAD_TEST_LOG"] ?? "silent" }),
  });
  const running = Promise.all([lead.run(signal), sync.run(signal)]);
  return {
    sync,
    async stop() {
      stopping.abort(new Error("The test stops the agent."));
      await running;
    },
  };
}

function abilityOf(kind: GitopsKind): object | undefined {
  return hub.hellos.at(-1)?.abilities.find((ability) => ability.kind === kind);
}

function runningSince(startedAt: string): object {
  return { phase: "Running", startedAt, operation: { sync: {} } };
}

async function find(name: string): Promise<KubeObject | undefined> {
  return await getObject({ client, resource: applications, namespace: namespace.name, name });
}

async function untilThere(name: string): Promise<KubeObject> {
  return await vi.waitFor(async () => {
    const found = await find(name);
    expect(found).toBeDefined();
    return found as KubeObject;
  }, patience);
}

async function untilGone(name: string): Promise<void> {
  await vi.waitFor(async () => expect(await find(name)).toBeUndefined(), patience);
}

async function untilProject(name: string, project: string): Promise<void> {
  await vi.waitFor(async () => expect((await find(name))?.["spec"]).toMatchObject({ project }), patience);
}

async function create(body: object): Promise<void> {
  await client.request({ method: "POST", path: pathOf(), body });
}

async function createIn(api: string, resource: string, body: object): Promise<void> {
  await client.request({ method: "POST", path: `${api}/namespaces/${namespace.name}/${resource}`, body });
}

async function dataOf(kind: GitopsKind, name: string): Promise<KubeObject | undefined> {
  return await getObject({ client, resource: gitopsResources[kind], namespace: namespace.name, name });
}

async function remove(name: string): Promise<void> {
  await client.request({ method: "DELETE", path: pathOf(name) });
}

/** As somebody else does who reads, changes and writes. */
async function change(name: string, how: (there: KubeObject) => object): Promise<void> {
  await vi.waitFor(
    async () => void (await client.request({ method: "PUT", path: pathOf(name), body: how(await untilThere(name)) })),
    patience,
  );
}

function pathOf(name?: string): string {
  const folder = `/apis/argoproj.io/v1alpha1/namespaces/${namespace.name}/applications`;
  return name === undefined ? folder : `${folder}/${name}`;
}
