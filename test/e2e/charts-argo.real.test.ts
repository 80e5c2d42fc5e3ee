// The chart's role gitops in a real cluster: what its ServiceAccount may do, and that what its pods run starts with that.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isFairleadError } from "@fairlead/kernel";
import { waitUntil } from "@fairlead/kernel/testing";
import { createKubeClient, type KubeClient, type KubeRequest, loadKubeconfig } from "@fairlead/kube";
import {
  type ClusterAccess,
  createNamespace,
  findLogLines,
  imageRegistry,
  type Manifest,
  openHelm,
  prepareArgoCrds,
  readPodProgram,
  sharedCluster,
  startHub,
  startProgram,
  type TestHub,
  type TestNamespace,
} from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ofKind, openRenderer } from "../fleet/render-charts.ts";

const name = "fairlead-agent-gitops";
let undo: AsyncDisposableStack;
let cluster: ClusterAccess;
let hub: TestHub;
let own: TestNamespace;
let argo: TestNamespace;
let team: TestNamespace;
let client: KubeClient;
let folder = "";

beforeAll(async () => {
  undo = new AsyncDisposableStack();
  cluster = await sharedCluster();
  await prepareArgoCrds(cluster);
  hub = undo.use(await startHub());
  own = undo.use(await createNamespace(cluster, "gitops"));
  argo = undo.use(await createNamespace(cluster, "argo"));
  team = undo.use(await createNamespace(cluster, "team"));
  folder = await mkdtemp(join(tmpdir(), "fairlead-gitops-"));
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  await hub.cli(["cluster", "add", "synced", "--role", "gitops", "--token-out", join(folder, "token")]);
  const helm = undo.use(await openHelm({ kubeconfig: cluster.adminKubeconfig }));
  const values = await helm.writeValues({
    hub: { url: hub.agentUrl },
    image: { registry: imageRegistry },
    token: { existingSecret: "fairlead-agent-join" },
    proxy: { enabled: false },
    gitops: { enabled: true, argoNamespace: argo.name, applicationNamespaces: [team.name] },
  });
  const chart = join(import.meta.dirname, "../../charts/fairlead-agent");
  const inNamespace = ["--namespace", own.name];
  undo.defer(
    async () => void (await helm.run(["uninstall", "fairlead-agent", ...inNamespace], { allowFailure: true })),
  );
  await helm.run(["upgrade", "--install", "fairlead-agent", chart, ...inNamespace, "--values", values]);
  const path = await cluster.kubeconfigForServiceAccount({ namespace: own.name, name });
  client = undo.use(createKubeClient({ access: await loadKubeconfig({ path }) }));
});
afterAll(() => undo?.disposeAsync());

test("the account writes applications where they may be, and Argo CD's other objects in its namespace", async () => {
  for (const namespace of [argo.name, team.name]) {
    const path = `/apis/argoproj.io/v1alpha1/namespaces/${namespace}/applications`;
    // An API server that has just learned of the kinds asks for patience.
    const isRead = await waitUntil(async () => (await statusOf({ path })) === 200, { timeoutMs: 60_000 });
    expect([isRead, await statusOf({ method: "POST", path, body: {} })]).toEqual([true, 400]);
  }
  const inArgo = `/api/v1/namespaces/${argo.name}`;
  const projects = `/apis/argoproj.io/v1alpha1/namespaces/${argo.name}/appprojects`;
  expect(await waitUntil(async () => (await statusOf({ path: projects })) === 200, { timeoutMs: 60_000 })).toBe(true);
  expect(await statusOf({ path: `${inArgo}/secrets` })).toBe(200);
  for (const one of ["argocd-gpg-keys-cm", "argocd-ssh-known-hosts-cm", "argocd-tls-certs-cm"])
    expect(await statusOf({ path: `${inArgo}/configmaps?fieldSelector=metadata.name%3D${one}` }), one).toBe(200);
});

test("it has no right to anything else", async () => {
  for (const path of [
    `/api/v1/namespaces/${argo.name}/configmaps`,
    `/api/v1/namespaces/${argo.name}/pods`,
    `/apis/argoproj.io/v1alpha1/namespaces/${team.name}/appprojects`,
    `/api/v1/namespaces/${team.name}/secrets`,
    `/api/v1/namespaces/${own.name}/secrets`,
    "/apis/argoproj.io/v1alpha1/applications",
    "/apis/argoproj.io/v1alpha1/namespaces/default/applications",
  ])
    expect(await statusOf({ path }), path).toBe(403);
});

test("what its pod runs starts with that, is let in by the hub, and says whether applications are synced", async () => {
  const { stdout } = await cluster.kubectl(["-n", own.name, "get", "deployment", name, "-o", "json"]);
  const { args, env, serviceAccount } = readPodProgram(JSON.parse(stdout), { "/var/run/fairlead/token": folder });
  const kubeconfig = await cluster.kubeconfigForServiceAccount({ namespace: own.name, name: serviceAccount });
  const logFile = join(folder, "agent.log");
  await using running = await startProgram("agent", {
    name: "syncing agent",
    args: [...args, "--kubeconfig", kubeconfig, "--health-listen", "127.0.0.1:0"],
    env: { HOME: folder, ...env },
    logFile,
    readyWhen: async () => (await findLogLines(logFile, "agent starts")).length > 0,
    readyTimeoutMs: 60_000,
  });
  const [start] = await findLogLines(logFile, "agent starts");
  const read = async (path: string): Promise<string> => (await fetch(`${start?.["healthUrl"]}${path}`)).text();
  const expected = /^\[\+\] hub ok\n\[\+\] api-server ok\n\[[-+]\] applications (ok|failed: )/;
  const isThere = await waitUntil(async () => expected.test(await read("/readyz")), { timeoutMs: 60_000 });
  expect(isThere, await read("/readyz")).toBe(true);
  const isLeading = async () => (await read("/metrics")).includes("fairlead_agent_gitops_leading 1");
  expect(await waitUntil(isLeading, { timeoutMs: 60_000 })).toBe(true);
  const failures = await findLogLines(logFile, "Argo CD's objects can't be read now; nothing is deleted");
  expect(failures.filter(({ err }) => (err as { readonly code?: string }).code === "KUBE_FORBIDDEN")).toEqual([]);
  await running.stop({ graceMs: 15_000 });
});

test("its pods are reached by Argo CD for what the hub shares, and by nobody where it isn't asked for", async () => {
  await using charts = await openRenderer();
  const ports = [
    { protocol: "TCP", port: 6379 },
    { protocol: "TCP", port: 8081 },
  ];
  const hubBackends = { redis: { enabled: true }, repoServer: { enabled: true, port: 9081 } };
  const rendered = await charts.render("fairlead-agent", { gitops: { enabled: true, hubBackends } });
  const from = [{ namespaceSelector: {}, podSelector: { matchLabels: { "app.kubernetes.io/part-of": "argocd" } } }];
  expect(findPolicy(rendered)).toMatchObject({ spec: { ingress: [{ from, ports }] } });
  expect(ofKind(rendered, "Service")).toMatchObject([
    {
      spec: {
        ports: [
          { port: 6379, targetPort: 6379 },
          { port: 9081, targetPort: 8081 },
        ],
      },
    },
  ]);
  const closed = await charts.render("fairlead-agent", { gitops: { enabled: true } });
  expect(findPolicy(closed)).toMatchObject({ spec: { ingress: [] } });
  expect(ofKind(closed, "Service")).toEqual([]);
});

test("a cluster that is only to be autonomous gives no right to make or delete anything, nor to Secrets", async () => {
  await using charts = await openRenderer();
  const rendered = await charts.render("fairlead-agent", {
    proxy: { enabled: false },
    gitops: { enabled: true, modes: ["autonomous"] },
  });
  const inArgo = ofKind(rendered, "Role").filter(({ metadata }) => metadata.namespace === "argocd");
  expect(inArgo.map(({ rules }) => rules)).toEqual([
    [
      { apiGroups: ["argoproj.io"], resources: ["applications"], verbs: ["get", "list", "watch", "update"] },
      { apiGroups: ["argoproj.io"], resources: ["appprojects"], verbs: ["get", "list", "watch"] },
    ],
  ]);
  const { args } = ofKind(rendered, "Deployment")[0]?.["spec"].template.spec.containers[0] ?? {};
  expect(args).toContain("--gitops-modes=autonomous");
});

test("it may make namespaces only where that was asked for, and then writes applications in those that come later", async () => {
  await using charts = await openRenderer();
  const gitops = { enabled: true, applicationNamespaces: ["team-a"] };
  const usual = await charts.render("fairlead-agent", { proxy: { enabled: false }, gitops });
  expect(ofKind(usual, "ClusterRole")).toEqual([]);
  expect(ofKind(usual, "Role").map(({ metadata }) => metadata.namespace)).toContain("team-a");
  const values = { proxy: { enabled: false }, gitops: { ...gitops, createNamespaces: true } };
  const making = await charts.render("fairlead-agent", values);
  expect(ofKind(making, "Role").map(({ metadata }) => metadata.namespace)).not.toContain("team-a");
  expect(ofKind(making, "ClusterRole").map(({ rules }) => rules)).toEqual([
    [
      expect.objectContaining({ resources: ["applications"] }),
      { apiGroups: [""], resources: ["namespaces"], verbs: ["create"] },
    ],
  ]);
});

/** 200 for all that is done. */
async function statusOf(request: KubeRequest): Promise<number> {
  try {
    await client.request(request);
    return 200;
  } catch (error) {
    return isFairleadError(error) ? error.httpStatus : 0;
  }
}

function findPolicy(rendered: readonly Manifest[]): Manifest | undefined {
  return ofKind(rendered, "NetworkPolicy").find(({ metadata }) => metadata.name.endsWith("-gitops"));
}
