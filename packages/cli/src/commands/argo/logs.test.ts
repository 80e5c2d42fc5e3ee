import { expect, test } from "vitest";
import { signedIn } from "../../testing/signed-in.fixture.ts";

const shop = {
  cluster: "east",
  namespace: "east",
  name: "shop",
  project: "default",
  mode: "managed",
  sync: "Synced",
  health: "Healthy",
  phase: "",
  revision: "abc",
  isDeleting: false,
  resourceVersion: "1",
  labels: {},
  annotations: {},
  finalizers: [],
  spec: {},
  status: {
    resources: [
      { group: "apps", version: "v1", kind: "Deployment", namespace: "shop", name: "web" },
      { version: "v1", kind: "Pod", namespace: "shop", name: "lone" },
      { group: "rbac.authorization.k8s.io", version: "v1", kind: "ClusterRole", name: "wide" },
    ],
  },
};
const place = "/k8s/clusters/east/api/v1/namespaces/shop/pods";

async function signedInToShop() {
  const harness = await signedIn();
  const answer = (path: string, body: object) => harness.hub.routes.set(`GET ${path}`, () => ({ status: 200, body }));
  answer("/api/v1/clusters/east/applications/east/shop", shop);
  answer(`${place}?limit=500`, {
    items: [pod("web-1-a", "ReplicaSet", "web-1"), pod("other", "ReplicaSet", "other-1")],
    metadata: { continue: "next" },
  });
  answer(`${place}?limit=500&continue=next`, { items: [pod("lone")], metadata: {} });
  answer("/k8s/clusters/east/apis/apps/v1/namespaces/shop/replicasets?limit=500", {
    items: [made("web-1", "Deployment", "web"), made("other-1", "Deployment", "other")],
  });
  return harness;
}

test("each container's log is printed with its name, and of the application's pods alone", async () => {
  await using harness = await signedInToShop();
  harness.hub.routes.set(`GET ${place}/web-1-a/log?container=main`, () => ({ status: 200, body: { said: "one" } }));
  harness.hub.routes.set(`GET ${place}/lone/log?container=main`, () => ({ status: 200, body: { said: "\u001b[31m" } }));
  const { stdout, code } = await harness.cli.run(["argo", "app", "logs", "east/shop"]);
  expect([code, stdout]).toEqual([0, '[web-1-a/main] {"said":"one"}\n[lone/main] {"said":"\\u001b[31m"}\n']);
});

test("what is asked for is asked of the cluster, and of what it is asked for alone", async () => {
  await using harness = await signedInToShop();
  const path = `${place}/lone/log?container=first&follow=true&tailLines=5&sinceSeconds=60&previous=true`;
  harness.hub.routes.set(`GET ${path}`, () => ({ status: 200, body: {} }));
  const options = ["-f", "-c", "first", "--kind", "pod", "--tail", "5", "--since", "1m", "-p"];
  expect((await harness.cli.run(["argo", "app", "logs", "east/shop", ...options])).stdout).toBe("[lone/first] {}\n");
  expect(harness.hub.requests.filter(({ line }) => line.includes("/log?"))).toHaveLength(1);
});

test("the former way to say how old lines can be counts, with a remark", async () => {
  await using harness = await signedInToShop();
  harness.hub.routes.set(`GET ${place}/lone/log?container=first&sinceSeconds=90`, () => ({ status: 200, body: {} }));
  const logs = ["argo", "app", "logs", "east/shop", "-c", "first", "--kind", "pod", "--since-seconds", "90"];
  const { stdout, stderr } = await harness.cli.run(logs);
  expect(stdout).toBe("[lone/first] {}\n");
  expect(stderr).toContain("--since-seconds is deprecated: write --since 1m30s instead.");
  expect((await harness.cli.run([...logs, "--since", "1m"])).stderr).toContain("CLI_USAGE");
});

test("a cluster that refuses is told with its own words", async () => {
  await using harness = await signedInToShop();
  const message = 'pods is forbidden: User "ann" cannot list resource "pods"';
  harness.hub.routes.set(`GET ${place}?limit=500`, () => ({
    status: 403,
    body: { kind: "Status", message, code: 403 },
  }));
  const { stderr, code } = await harness.cli.run(["argo", "app", "logs", "east/shop"]);
  expect(code).not.toBe(0);
  expect(stderr).toContain(message);
  expect(stderr).toContain("API_CLUSTER_REFUSED");
});

test("an application without pods says so", async () => {
  await using harness = await signedInToShop();
  const { stdout, stderr } = await harness.cli.run(["argo", "app", "logs", "east/shop", "--name", "nobody"]);
  expect([stdout, stderr]).toEqual(["", expect.stringContaining("no pods")]);
});

function made(name: string, kind?: string, owner = "") {
  const ownerReferences = kind === undefined ? [] : [{ kind, name: owner, uid: `uid-${owner}` }];
  return { metadata: { name, namespace: "shop", uid: `uid-${name}`, ownerReferences } };
}

function pod(name: string, kind?: string, owner = "") {
  return {
    ...made(name, kind, owner),
    spec: { containers: [{ name: "main" }], initContainers: [{ name: "first" }] },
  };
}
