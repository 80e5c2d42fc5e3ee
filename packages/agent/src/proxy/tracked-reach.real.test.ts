// Argo CD on the hub reaches what belongs to tracked resources of a real cluster, and nothing else of it, whatever rights
// its group has there.
import { loadKubeconfig } from "@fairlead/kube";
import { argoCaller, type OpenHead } from "@fairlead/protocol";
import { type ClusterAccess, createNamespace, sharedCluster, type TestNamespace } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { call, openWire, type Wire } from "./wire.fixture.ts";

const undo = new AsyncDisposableStack();
let cluster: ClusterAccess;
let namespace: TestNamespace;
let wire: Wire;
const admin = { user: "robot:other", groups: ["tracked-reach-admins"] };
const argo = { user: `robot:${argoCaller.robot}`, groups: [argoCaller.group, ...admin.groups] };

beforeAll(async () => {
  cluster = await sharedCluster();
  namespace = undo.use(await createNamespace(cluster));
  const { name } = namespace;
  await cluster.api.json({
    method: "POST",
    path: `/apis/rbac.authorization.k8s.io/v1/namespaces/${name}/rolebindings`,
    body: {
      metadata: { name: "admins" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: admin.groups[0] }],
    },
  });
  const tracked = await create("configmaps", "tracked", {
    annotations: { "argocd.argoproj.io/tracking-id": `shop:/ConfigMap:${name}/tracked` },
  });
  const owned = await create("configmaps", "owned", { ownerReferences: [refer("ConfigMap", tracked)] });
  await create("serviceaccounts", "owned-twice", { ownerReferences: [refer("ConfigMap", owned)] });
  const stranger = await create("configmaps", "alien", {});
  await create("configmaps", "aliens-own", { ownerReferences: [refer("ConfigMap", stranger)] });
  await create("configmaps", "copied", {
    annotations: { "argocd.argoproj.io/tracking-id": `shop:/ConfigMap:${name}/tracked` },
  });
  await create("secrets", "hidden", {
    annotations: { "argocd.argoproj.io/tracking-id": `shop:/Secret:${name}/hidden` },
  });
  await tell("tracked", tracked.uid);
  await tell("alien", stranger.uid);
  wire = undo.use(await openWire({ access: await loadKubeconfig({ path: cluster.adminKubeconfig }) }));
});
afterAll(() => undo.disposeAsync());

test("it reads discovery", async () => {
  for (const one of ["/version", "/api", "/api/v1?timeout=32s", "/apis/apps/v1"])
    expect((await ask("GET", one)).status).toBe(200);
});

test("it reads and changes what is tracked, and what that owns", async () => {
  expect((await ask("GET", path("configmaps/tracked"))).status).toBe(200);
  expect((await ask("GET", path("configmaps/owned"))).status).toBe(200);
  expect((await ask("GET", path("serviceaccounts/owned-twice"))).status).toBe(200);
  const patch = Buffer.from(JSON.stringify({ data: { color: "green" } }));
  const headers = ["Content-Type", "application/merge-patch+json", "Content-Length", String(patch.length)];
  const patched = await ask("PATCH", path("configmaps/owned"), { headers }, patch);
  expect([patched.status, patched.body.data]).toEqual([200, { color: "green" }]);
  expect((await ask("DELETE", path("serviceaccounts/owned-twice"))).status).toBe(200);
});

test("it is told of what isn't there that it isn't there", async () => {
  expect((await ask("GET", path("configmaps/nobody"))).status).toBe(404);
  expect(await refusalOf("DELETE", path("configmaps/nobody"))).toBe("POLICY_UNTRACKED");
});

test.each([
  ["what nobody tracks", "GET", "configmaps/alien"],
  ["what nobody tracks, to delete it", "DELETE", "configmaps/alien"],
  ["what has a tracked object's annotation and isn't it", "GET", "configmaps/copied"],
  ["what is owned by what nobody tracks", "GET", "configmaps/aliens-own"],
  ["a Secret, tracked or not", "GET", "secrets/hidden"],
  ["lists", "GET", "configmaps"],
  ["watches", "GET", "configmaps?watch=1"],
  ["collections, to delete them", "DELETE", "configmaps"],
  ["what isn't there yet", "POST", "configmaps"],
  ["all events", "GET", "events"],
])("it is refused %s, which another account with the same rights may reach", async (_what, method, rest) => {
  expect(await refusalOf(method, path(rest))).toBe("POLICY_UNTRACKED");
});

test("it reads the events of what is tracked, and of nothing else", async () => {
  const about = async (name: string) => {
    const { metadata } = await cluster.api.json<Made>({ path: path(`configmaps/${name}`) });
    const selector = `involvedObject.name=${name},involvedObject.uid=${metadata.uid}`;
    return path(`events?${new URLSearchParams({ fieldSelector: selector })}`);
  };
  const { status, body } = await ask("GET", await about("tracked"));
  expect([status, body.items?.length]).toEqual([200, 1]);
  expect(await refusalOf("GET", await about("alien"))).toBe("POLICY_UNTRACKED");
});

test("another account with the same rights goes on as ever", async () => {
  for (const rest of ["configmaps", "configmaps/alien", "secrets/hidden"])
    expect((await ask("GET", path(rest), { identity: admin })).status).toBe(200);
});

test("the group alone bounds, whoever has it", async () => {
  const identity = { user: "ann", groups: [...admin.groups, argoCaller.group] };
  expect(await refusalOf("GET", path("configmaps/alien"), { identity })).toBe("POLICY_UNTRACKED");
});

test("its own rights in the cluster bound it, too", async () => {
  const identity = { user: `robot:${argoCaller.robot}`, groups: [argoCaller.group] };
  expect(await refusalOf("GET", path("configmaps/tracked"), { identity })).toBe("POLICY_UNTRACKED");
});

async function ask(method: string, at: string, open: Partial<OpenHead> = {}, body?: Uint8Array) {
  const { head, body: bytes } = await call(wire.hub, { method, path: at, identity: argo, ...open }, body).answer;
  return { status: head.status, body: JSON.parse(bytes.toString()) };
}

async function refusalOf(method: string, at: string, open: Partial<OpenHead> = {}): Promise<string> {
  const { status, body } = await ask(method, at, open);
  expect(status).toBe(403);
  return body.details?.causes?.[0]?.reason;
}

function path(rest: string): string {
  return `/api/v1/namespaces/${namespace.name}/${rest}`;
}

async function create(resource: string, name: string, marks: object): Promise<Made["metadata"]> {
  const body = { metadata: { name, ...marks } };
  return (await cluster.api.json<Made>({ method: "POST", path: path(resource), body })).metadata;
}

async function tell(name: string, uid: string): Promise<void> {
  const involvedObject = { apiVersion: "v1", kind: "ConfigMap", namespace: namespace.name, name, uid };
  const body = { metadata: { name: `event-${name}` }, involvedObject, reason: "Told", message: "x", type: "Normal" };
  await cluster.api.json({ method: "POST", path: path("events"), body });
}

function refer(kind: string, { name, uid }: Made["metadata"]) {
  return { apiVersion: "v1", kind, name, uid };
}

interface Made {
  readonly metadata: { readonly name: string; readonly uid: string };
}
