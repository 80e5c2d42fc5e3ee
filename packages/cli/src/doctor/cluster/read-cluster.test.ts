// An API server that says what a test wants; `doctor.real.test.ts` asks a real one.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Snapshot } from "@fairlead/doctor";
import { expect, test } from "vitest";
import { readCluster } from "./read-cluster.ts";

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

const resource = (name: string, kind: string, scope = "Namespaced", verbs = ["get", "list"]) => ({
  resource: name,
  responseKind: { kind },
  scope,
  singularResource: kind.toLowerCase(),
  verbs,
});
const core = {
  version: "v1",
  resources: [
    resource("nodes", "Node", "Cluster"),
    resource("pods", "Pod"),
    resource("secrets", "Secret"),
    resource("configmaps", "ConfigMap"),
  ],
};
const groups = {
  "/api": [{ metadata: { name: "" }, versions: [core] }],
  "/apis": [
    { metadata: { name: "apps" }, versions: [{ version: "v1", resources: [resource("deployments", "Deployment")] }] },
    { metadata: { name: "metrics.k8s.io" }, versions: [{ version: "v1beta1", freshness: "Stale" }] },
  ],
};

const json =
  (status: number, body: object): Answer =>
  (response) =>
    void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
const forbidden = json(403, { kind: "Status", message: "no", reason: "Forbidden", code: 403 });
const list = (...names: readonly string[]): Answer => json(200, page(names));
const page = (names: readonly string[], next?: string) => ({
  kind: "List",
  metadata: { resourceVersion: "1", ...(next && { continue: next }) },
  items: names.map((name) => ({ metadata: { name, uid: name, managedFields: [{}], namespace: "shop" } })),
});
const discovery = Object.fromEntries(
  Object.entries(groups).map(([path, items]) => [path, json(200, { kind: "APIGroupDiscoveryList", items })]),
);

async function read(
  answers: Readonly<Record<string, Answer>>,
  change: { examine?: (snapshot: Snapshot) => unknown; lateness?: AbortSignal; mostObjects?: number } = {},
) {
  const paths: string[] = [];
  const server = createServer((request, response) => {
    const path = (request.url ?? "").split("?")[0] ?? "";
    if (path === "/livez/ping") return void response.end("ok");
    paths.push(request.url ?? "");
    const answer = { ...discovery, ...answers }[path] ?? json(404, { kind: "Status", code: 404 });
    answer(response, request);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const access = { server: url, insecureSkipTlsVerify: false, authorization: () => undefined, namespace: "default" };
  const signal = new AbortController().signal;
  try {
    let snapshot = new Snapshot({ sightings: new Map(), configMaps: new Map() });
    const examine =
      change.examine ??
      ((given: Snapshot) => ["nodes", "pods", "deployments.apps"].map((each) => given.listSeen(each)));
    const reading = await readCluster({
      access,
      signal,
      namespaces: ["shop", "billing"],
      lateness: signal,
      ...change,
      examine: (given) => {
        snapshot = given;
        return examine(given);
      },
    });
    return { ...reading, snapshot, paths };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test("only what is looked at is read, in pages, then what that names, and never Secrets", async () => {
  const {
    snapshot,
    paths,
    rightsMissing,
    read: counted,
  } = await read(
    {
      "/api/v1/nodes": (response, request) =>
        json(200, request.url?.includes("continue=next") ? page(["b"]) : page(["a"], "next"))(response, request),
      "/api/v1/namespaces/shop/configmaps/a": json(200, { metadata: { name: "a", uid: "1" }, data: { key: "value" } }),
      "/api/v1/namespaces/shop/configmaps/b": json(404, { kind: "Status", code: 404, details: { name: "b" } }),
    },
    {
      examine: (given) => {
        given.listSeen("secrets");
        for (const { metadata } of given.listSeen("nodes")) given.readConfigMap("shop", metadata.name);
      },
    },
  );
  expect(snapshot.list("nodes").map(({ metadata }) => metadata)).toEqual([
    { name: "a", uid: "a", namespace: "shop" },
    { name: "b", uid: "b", namespace: "shop" },
  ]);
  expect(snapshot.readConfigMap("shop", "a")).toMatchObject({ is: "seen", configMap: { data: { key: "value" } } });
  expect(snapshot.readConfigMap("shop", "b")).toEqual({ is: "missing" });
  expect(paths.filter((path) => path.includes("secrets") || path.includes("pods"))).toEqual([]);
  expect(paths).toHaveLength(6);
  expect(counted).toEqual({ objects: 3, resources: ["configmaps", "nodes"] });
  expect(rightsMissing).toEqual([]);
});

test("what may not be listed is listed in the namespaces named, or hidden, and the roles that show it are said", async () => {
  const { snapshot, rightsMissing } = await read({
    "/api/v1/nodes": forbidden,
    "/api/v1/pods": forbidden,
    "/api/v1/namespaces/shop/pods": list("p"),
    "/api/v1/namespaces/billing/pods": forbidden,
    "/apis/apps/v1/deployments": list(),
    "/apis/authentication.k8s.io/v1/selfsubjectreviews": json(201, {
      status: { userInfo: { username: "system:serviceaccount:ci:doctor" } },
    }),
  });
  expect(snapshot.look("nodes")).toEqual({ is: "hidden", why: "you may not list it" });
  expect(snapshot.look("pods")).toMatchObject({ is: "seen", namespaces: ["shop"] });
  expect(() => snapshot.list("pods")).toThrow("only these namespaces were read: shop");
  expect(rightsMissing).toMatchObject([
    { kind: "ClusterRole", rules: [{ apiGroups: [""], resources: ["nodes", "pods"], verbs: ["list"] }] },
    { kind: "ClusterRoleBinding", subjects: [{ kind: "ServiceAccount", namespace: "ci", name: "doctor" }] },
  ]);
});

test("a ConfigMap that may not be read is hidden, and its Role names it alone", async () => {
  const examine = (snapshot: Snapshot) => snapshot.readConfigMap("argocd", "argocd-cm");
  const { snapshot, rightsMissing } = await read(
    { "/api/v1/namespaces/argocd/configmaps/argocd-cm": forbidden },
    { examine },
  );
  expect(snapshot.readConfigMap("argocd", "argocd-cm").is).toBe("hidden");
  expect(rightsMissing).toEqual([
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "Role",
      metadata: { name: "fairlead-doctor", namespace: "argocd" },
      rules: [{ apiGroups: [""], resources: ["configmaps"], resourceNames: ["argocd-cm"], verbs: ["get"] }],
    },
  ]);
});

test("a group whose server is away is hidden; one that discovery doesn't name isn't served", async () => {
  const { snapshot } = await read({ "/api/v1/nodes": list(), "/api/v1/pods": list() });
  expect(snapshot.isServed("nodes.metrics.k8s.io")).toBe("unknown");
  expect(snapshot.isServed("rollouts.argoproj.io")).toBe("no");
  // Discovery names it, and it is gone when it is listed.
  expect(snapshot.look("deployments.apps")).toEqual({ is: "not-served" });
});

test("without discovery or when it takes too long, nothing is known, rather than absent", async () => {
  const { snapshot } = await read({ "/api": forbidden, "/apis": forbidden });
  expect(snapshot.isServed("rollouts.argoproj.io")).toBe("unknown");
  expect(() => snapshot.list("nodes")).toThrow("you may not ask");

  const late = new AbortController();
  const slow = await read({ "/apis": () => late.abort() }, { lateness: late.signal });
  expect(slow.snapshot.isServed("rollouts.argoproj.io")).toBe("unknown");
});

test("a cluster that never ends a list, or has too much, is hidden in part", async () => {
  const late = new AbortController();
  const endless: Answer = (response) => {
    response.writeHead(200).write('{"metadata":{},"items":[');
    late.abort();
  };
  const others = { "/api/v1/nodes": list("a"), "/apis/apps/v1/deployments": list("d") };
  const examine = (snapshot: Snapshot) => snapshot.listSeen("nodes").map(() => snapshot.listSeen("pods"));
  const slow = await read({ ...others, "/api/v1/pods": endless }, { examine, lateness: late.signal });
  expect(slow.snapshot.look("pods")).toEqual({ is: "hidden", why: "the time for reading was over" });
  expect(slow.snapshot.list("nodes")).toHaveLength(1);

  const many = await read(
    { ...others, "/api/v1/pods": list(...Array.from({ length: 60 }, (_, index) => `p${index}`)) },
    { mostObjects: 50 },
  );
  expect(many.snapshot.look("pods")).toEqual({ is: "hidden", why: "there are more than 50 objects" });
  expect(many.snapshot.list("nodes")).toHaveLength(1);
});

test("an API server that fails says nothing of the cluster, and a sign-in that is over is an error", async () => {
  const failing = json(500, { kind: "Status", code: 500, message: "etcd is away." });
  const { snapshot } = await read({ "/api/v1/nodes": failing, "/api/v1/pods": list() });
  expect(snapshot.look("nodes")).toEqual({ is: "hidden", why: "etcd is away" });
  const unauthorized = json(401, { kind: "Status", code: 401, message: "Unauthorized" });
  await expect(read({ "/api/v1/nodes": unauthorized })).rejects.toMatchObject({ code: "KUBE_UNAUTHORIZED" });
});
