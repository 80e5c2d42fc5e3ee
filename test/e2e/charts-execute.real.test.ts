// The chart's role execute in a real cluster: what its ServiceAccount may do, and that what its pods run starts with that.
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { isFairleadError } from "@fairlead/kernel";
import { waitUntil } from "@fairlead/kernel/testing";
import { createKubeClient, type KubeClient, type KubeRequest, loadKubeconfig } from "@fairlead/kube";
import {
  type ClusterAccess,
  createNamespace,
  ensureTools,
  findLogLines,
  imageRegistry,
  openHelm,
  readPodProgram,
  sharedCluster,
  startHub,
  startProcess,
  startProgram,
  type TestHub,
  type TestNamespace,
} from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ChartRenderer, ofKind, openRenderer } from "../fleet/render-charts.ts";

const name = "fairlead-agent-execute";
let undo: AsyncDisposableStack;
let cluster: ClusterAccess;
let hub: TestHub;
let own: TestNamespace;
let team: TestNamespace;
let client: KubeClient;
let folder = "";

beforeAll(async () => {
  undo = new AsyncDisposableStack();
  cluster = await sharedCluster();
  hub = undo.use(await startHub());
  own = undo.use(await createNamespace(cluster, "execute"));
  team = undo.use(await createNamespace(cluster, "team"));
  folder = await mkdtemp(join(tmpdir(), "fairlead-execute-"));
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  const add = ["cluster", "add", "commanded", "--role", "execute", "--token-out", join(folder, "token")];
  await hub.cli(add);
  const helm = undo.use(await openHelm({ kubeconfig: cluster.adminKubeconfig }));
  const values = await helm.writeValues({
    hub: { url: hub.agentUrl },
    image: { registry: imageRegistry },
    token: { existingSecret: "fairlead-agent-join" },
    proxy: { enabled: false },
    execute: { enabled: true, rights: { namespaces: [team.name], clusterRole: "edit" } },
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

test("commands may do what was chosen where it was chosen, and nothing elsewhere", async () => {
  const body = { metadata: { generateName: "made-" } };
  const inTeam = `/api/v1/namespaces/${team.name}`;
  expect(await statusOf({ method: "POST", path: `${inTeam}/configmaps`, body })).toBe(200);
  expect(await statusOf({ path: `${inTeam}/pods` })).toBe(200);
  for (const path of ["/api/v1/namespaces/default/configmaps", `/api/v1/namespaces/${own.name}/configmaps`])
    expect([await statusOf({ path }), await statusOf({ method: "POST", path, body })], path).toEqual([403, 403]);
  for (const path of ["/api/v1/nodes", "/api/v1/secrets", "/api/v1/namespaces", `/api/v1/namespaces/${own.name}/pods`])
    expect(await statusOf({ path }), path).toBe(403);
  const rolebindings = `/apis/rbac.authorization.k8s.io/v1/namespaces/${team.name}/rolebindings`;
  expect(await statusOf({ path: rolebindings })).toBe(403);
});

test("its records are Secrets of its own namespace, and of no other", async () => {
  const secrets = `/api/v1/namespaces/${own.name}/secrets`;
  const body = { type: "fairlead.dev/command-record", metadata: { name: "fairlead-cmd-1" } };
  for (const request of [
    { method: "POST", path: secrets, body },
    { path: `${secrets}?labelSelector=fairlead.dev/command` },
    { method: "PUT", path: `${secrets}/fairlead-cmd-1`, body },
    { method: "DELETE", path: `${secrets}/fairlead-cmd-1` },
  ] as const)
    expect(await statusOf(request), JSON.stringify(request)).toBe(200);
  expect(await statusOf({ path: "/api/v1/namespaces/default/secrets" })).toBe(403);
});

test("what its pod runs starts with that, is let in by the hub, and says whether it takes commands", async () => {
  const { stdout } = await cluster.kubectl(["-n", own.name, "get", "deployment", name, "-o", "json"]);
  const pod = JSON.parse(stdout);
  const shared = join(folder, "runner");
  const paths = {
    "/var/run/fairlead/token": folder,
    "/var/lib/fairlead-execute": join(folder, "spool"),
    "/run/fairlead/runner": shared,
  };
  await mkdir(shared);
  const tools = await ensureTools(["helm", "runner"]);
  await using _runner = await startProcess({
    name: "runner",
    command: tools.runner,
    logFile: join(folder, "runner.log"),
    env: {},
    // Here the agent's processes are in the runner's namespace.
    args: [...readPodProgram(pod, paths, { container: "runner" }).args, "--allow-local-peers"],
    readyWhen: async () => (await readdir(shared)).includes("runner.sock"),
  });
  const { args, env, serviceAccount } = readPodProgram(pod, paths, { container: "agent" });
  const kubeconfig = await cluster.kubeconfigForServiceAccount({ namespace: own.name, name: serviceAccount });
  const logFile = join(folder, "agent.log");
  await using running = await startProgram("agent", {
    name: "executing agent",
    args: [...args, "--kubeconfig", kubeconfig, "--health-listen", "127.0.0.1:0"],
    env: { HOME: folder, PATH: dirname(tools.helm), FAIRLEAD_AGENT_EXECUTE_RUNNER: tools.runner, ...env },
    logFile,
    readyWhen: async () => (await findLogLines(logFile, "agent starts")).length > 0,
    readyTimeoutMs: 60_000,
  });
  const [start] = await findLogLines(logFile, "agent starts");
  const [able] = await findLogLines(logFile, "these kinds of commands can be run here");
  expect(able?.["kinds"]).toEqual(["manifests", "helm", "flow"]);
  const ready = async (): Promise<string> => (await fetch(`${start?.["healthUrl"]}/readyz`)).text();
  const expected = /^\[\+\] hub ok\n\[\+\] api-server ok\n\[[-+]\] commands (ok|failed: The hub has no commands)/;
  const isThere = await waitUntil(async () => expected.test(await ready()), { timeoutMs: 60_000 });
  expect(isThere, await ready()).toBe(true);
  await running.stop({ graceMs: 15_000 });
});

test("with bindings of one's own the chart gives commands no rights, and with one for the whole cluster it is bound once", async () => {
  await using charts = await openRenderer();
  const none = await charts.render("fairlead-agent", {
    proxy: { enabled: false },
    execute: { enabled: true, rights: { boundElsewhere: true } },
  });
  expect(ofKind(none, "ClusterRole", "ClusterRoleBinding")).toEqual([]);
  expect(ofKind(none, "RoleBinding").map(({ metadata }) => metadata.namespace)).toEqual(["fairlead", "kube-system"]);
  const [deployment] = ofKind(none, "Deployment");
  const { spec } = deployment?.["spec"].template ?? {};
  expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(30);
  expect(spec.volumes).toContainEqual({ name: "folder", emptyDir: { sizeLimit: "4Gi" } });
  expect(spec.volumes).toContainEqual({ name: "runner", emptyDir: { sizeLimit: "4Gi" } });
  const rights = { wholeClusterRole: "cluster-admin" };
  const tofu = { providerMirror: "https://mirror.example.com/providers/", providerCache: true };
  const all = await charts.render("fairlead-agent", {
    proxy: { enabled: false },
    execute: { enabled: true, rights, policy: { readOnly: true }, commandKeys: { configMap: "keys" }, tofu },
  });
  expect(ofKind(all, "ClusterRoleBinding").map((binding) => binding["roleRef"].name)).toEqual(["cluster-admin"]);
  const { args } = ofKind(all, "Deployment")[0]?.["spec"].template.spec.containers[0] ?? {};
  expect(args).toContain("--command-keys-file=/etc/fairlead/command-keys/keys.json");
  expect(args).toContain(`--tofu-provider-mirror=${tofu.providerMirror}`);
  expect(args).toContain("--tofu-provider-cache=/run/fairlead/runner/tofu-providers");
  expect(args).toContain("--policy-file=/etc/fairlead/policy/policy.yaml");
  expect(ofKind(all, "ConfigMap").map(({ metadata }) => metadata.name)).toEqual([`${name}-policy`]);
});

test("the account's token is the agent's alone, and the runner's container has one folder and no rights", async () => {
  await using charts = await openRenderer();
  const values = { extraEnv: [{ name: "CREDENTIALS", value: "canary" }], policy: { readOnly: true } };
  const { spec, agent, runner } = await renderPod(charts, values);
  expect(spec).toMatchObject({
    automountServiceAccountToken: false,
    shareProcessNamespace: false,
    securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
  });
  const account = spec.volumes.find((volume: { name: string }) => volume.name === "account");
  expect(account.projected.sources[0]).toEqual({ serviceAccountToken: { expirationSeconds: 3607, path: "token" } });
  expect(agent.volumeMounts).toContainEqual({
    name: "account",
    mountPath: "/var/run/secrets/kubernetes.io/serviceaccount",
    readOnly: true,
  });
  expect(agent.args).toContain("--execute-runner-socket=/run/fairlead/runner/runner.sock");
  expect(runner).toMatchObject({
    image: agent.image,
    command: ["/usr/bin/fairlead-runner"],
    args: ["serve", "--socket", "/run/fairlead/runner/runner.sock"],
    volumeMounts: [{ name: "runner", mountPath: "/run/fairlead/runner" }],
    securityContext: { ...agent.securityContext, runAsUser: 65_533, runAsGroup: 65_532 },
  });
  expect(runner.securityContext).toMatchObject({ allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } });
  expect(runner.resources.limits.memory).toBeTruthy();
  for (const field of ["env", "envFrom", "ports"]) expect(runner[field], field).toBeUndefined();
});

test("a platform that chooses users gets a pod that asks for none", async () => {
  await using charts = await openRenderer();
  const { spec, agent, runner } = await renderPod(charts, {}, { platformUser: true });
  for (const { securityContext } of [spec, agent, runner])
    expect(Object.keys(securityContext).filter((field) => /^(runAsUser|runAsGroup|fsGroup)$/.test(field))).toEqual([]);
  expect(spec.securityContext.runAsNonRoot).toBe(true);
  expect(await charts.refuse("fairlead-agent", { execute: { runner: { runAsUser: 65_532 } } })).toContain("runAsUser");
});

test.each([
  ["with the plain agent's image", { image: { repository: "fairlead/agent" } }],
  ["where it is turned off", { runner: { enabled: false } }],
])("there is no runner %s, and still no token but the agent's", async (_, execute) => {
  await using charts = await openRenderer();
  const { spec, agent } = await renderPod(charts, { ...execute, tofu: { providerCache: true } });
  expect(spec.containers).toEqual([agent]);
  expect(spec.automountServiceAccountToken).toBe(false);
  expect(spec.volumes.map((volume: { name: string }) => volume.name).sort()).toEqual(["account", "folder", "token"]);
  expect(agent.args.join(" ")).not.toContain("runner");
  expect(agent.args).toContain("--tofu-provider-cache=/var/lib/fairlead-execute/tofu-providers");
});

test("commands may act as the accounts that were named, and the agent as no other", async () => {
  await using charts = await openRenderer();
  const impersonate = [{ namespace: "team-a", serviceAccounts: ["deployer", "migrator"] }];
  const rendered = await charts.render("fairlead-agent", {
    proxy: { enabled: false },
    execute: { enabled: true, rights: { impersonate } },
  });
  const roles = ofKind(rendered, "Role").filter(({ metadata }) => metadata.namespace === "team-a");
  expect(roles.map((role) => role["rules"])).toEqual([
    [
      {
        apiGroups: [""],
        resources: ["serviceaccounts"],
        resourceNames: ["deployer", "migrator"],
        verbs: ["impersonate"],
      },
    ],
  ]);
  const [binding] = ofKind(rendered, "RoleBinding").filter(({ metadata }) => metadata.namespace === "team-a");
  expect(binding?.["roleRef"].name).toBe(roles[0]?.metadata.name);
  expect(binding?.["subjects"]).toMatchObject([{ kind: "ServiceAccount", name, namespace: "fairlead" }]);
  expect(ofKind(rendered, "ClusterRole", "ClusterRoleBinding")).toEqual([]);
});

async function renderPod(charts: ChartRenderer, execute: object, more: object = {}) {
  const rights = { boundElsewhere: true };
  const values = { proxy: { enabled: false }, execute: { enabled: true, rights, ...execute }, ...more };
  const [deployment] = ofKind(await charts.render("fairlead-agent", values), "Deployment");
  const { spec } = deployment?.["spec"].template ?? {};
  const [agent, runner] = spec.containers;
  return { spec, agent, runner };
}

async function statusOf(request: KubeRequest): Promise<number> {
  try {
    await client.request(request);
    return 200;
  } catch (error) {
    if (isFairleadError(error)) return error.httpStatus;
    throw error;
  }
}
