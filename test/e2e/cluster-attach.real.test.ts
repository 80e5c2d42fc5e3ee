// `fairlead cluster attach` with the real kubectl, the real helm and the real chart, and its words when a step fails.
// The programs of the chart's pods run here as processes with the rights of the chart's ServiceAccounts.
import { randomBytes } from "node:crypto";
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type ClusterAccess,
  type CommandResult,
  chartFolder,
  createNamespace,
  ensureTools,
  type Helm,
  imageRegistry,
  type Manifest,
  openHelm,
  programArgs,
  readPodProgram,
  sharedCluster,
  startHub,
  startProgram,
  type TestHub,
} from "@fairlead/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FollowedCommand, followCommand } from "../fleet/follow-command.ts";
import { requestHub } from "../fleet/request-hub.ts";

const namespace = `attach-${randomBytes(4).toString("hex")}`;
let undo: AsyncDisposableStack;
let hub: TestHub;
let cluster: ClusterAccess;
let helm: Helm;
let folder: string;
beforeAll(async () => {
  undo = new AsyncDisposableStack();
  folder = await mkdtemp(join(tmpdir(), "fairlead-attach-"));
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  cluster = await sharedCluster();
  undo.defer(async () => {
    for (const name of [namespace, `${namespace}-west`]) {
      await helm.run(["uninstall", "fairlead-agent", "--namespace", name], { allowFailure: true });
      await cluster.api.send({ method: "DELETE", path: `/api/v1/namespaces/${name}` });
    }
  });
  helm = undo.use(await openHelm({ kubeconfig: cluster.adminKubeconfig }));
  hub = undo.use(await startHub());
  await makePrograms();
});
afterAll(() => undo?.disposeAsync());

describe("a cluster is attached", () => {
  test("--dry-run checks, says what it would do, and does nothing", async () => {
    const { code, stdout, stderr } = await attach(["east", ...bothRoles, "--dry-run"]);
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringMatching(/^✓ Rights: /m) });
    expect(stdout).toMatch(/^Would register 'east' for proxy and observe\.$/m);
    expect(stdout).toMatch(/^Would run helm upgrade --install fairlead-agent .*--kube-context/m);
    expect(await clusterNames()).toEqual([]);
    expect(await isNamespaceThere(namespace)).toBe(false);
  });

  test("from nothing to links and objects, with no token on any command line", async () => {
    await using attaching = follow(["east", ...bothRoles, "--label", "env=prod"]);
    await attaching.waitFor(/✓ Install: /);
    await startPodsPrograms();
    expect(await attaching.waitForExit(), attaching.output).toBe(0);
    expect(attaching.output).toContain("✓ Live: the hub has its links and all its objects\n");
    expect(attaching.output).toContain("Cluster 'east' is attached: proxy and observe.\n");
    expect(attaching.output).toContain("--set proxy.defaultGroups.admins.clusterRole=cluster-admin");
    expect(attaching.output).not.toContain("flj_");
    expect(await readFile(join(folder, "commands"), "utf8")).not.toContain("flj_");
    const { stdout } = await hub.cli(["get", "pods", "--cluster", "east", "-n", namespace, "-o", "name"]);
    expect(stdout.split("\n").filter(Boolean).length).toBeGreaterThan(0);
    const secret = await cluster.kubectl(["-n", namespace, "get", "secret", "fairlead-agent-join", "-o", "json"]);
    expect(JSON.parse(secret.stdout).metadata.annotations).toBeUndefined();
  });

  test("the same command again makes a new token and upgrades; what was set before is kept", async () => {
    await helm.run([
      "upgrade",
      "fairlead-agent",
      chartFolder("fairlead-agent"),
      "--namespace",
      namespace,
      ...keptValue,
    ]);
    const { code, stdout, stderr } = await attach(["east"]);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stderr).toMatch(/it knows 'east' \(connected\)\n/);
    expect(stderr).toMatch(/✓ Token: a new one, for proxy and observe\n/);
    expect(stdout).toBe("Cluster 'east' is attached: proxy and observe.\n");
    const values = await helm.run(["get", "values", "fairlead-agent", "--namespace", namespace, "--output", "json"]);
    expect(JSON.parse(values.stdout)).toMatchObject({ proxy: { enabled: true, replicas: 1 } });
  });
});

describe("a step that fails says which, why and how to go on", () => {
  test("a context that isn't there", async () => {
    const refused = await attach(["north", "--kube-context", "typo"]);
    expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining("(CLI_CONTEXT_UNKNOWN)") });
  });

  test("a cluster that doesn't answer", async () => {
    const kubeconfig = join(folder, "nowhere");
    const text = (await readFile(cluster.adminKubeconfig, "utf8")).replaceAll(cluster.url, "https://127.0.0.1:1");
    await writeFile(kubeconfig, text);
    const refused = await attach(["north"], { kubeconfig });
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/refused.*\(CLI_CLUSTER_UNREACHABLE\)/) });
  });

  test("somebody without rights is told which ones, before anything is made", async () => {
    await using at = await createNamespace(cluster, "nobody");
    const kubeconfig = await cluster.kubeconfigForServiceAccount({ namespace: at.name, name: "default" });
    const refused = await attach(["north"], { kubeconfig });
    expect(refused).toMatchObject({ code: 7, stderr: expect.stringContaining("(CLI_CLUSTER_RIGHTS_MISSING)") });
    expect(refused.stderr).toContain("create namespaces, get/list/create/patch/update/delete secrets in ");
  });

  test("who may make roles, but not give these rights, is told so", async () => {
    await using at = await createNamespace(cluster, "half");
    const kubeconfig = await cluster.kubeconfigForServiceAccount({ namespace: at.name, name: "default" });
    const [role, account] = [`half-${at.name}`, `--serviceaccount=${at.name}:default`];
    const groups = ["rbac.authorization.k8s.io", "networking.k8s.io", "coordination.k8s.io", "apps", "policy", ""];
    const rules = [
      { apiGroups: groups, resources: ["*"], verbs: ["get", "list", "create", "update", "patch", "delete"] },
    ];
    const made = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata: { name: role }, rules };
    await cluster.kubectl(["create", "-f", "-"], { input: JSON.stringify(made) });
    try {
      await cluster.kubectl(["create", "clusterrolebinding", role, `--clusterrole=${role}`, account]);
      const refused = await attach(["north"], { kubeconfig });
      expect(refused.stderr).toMatch(/attempting to grant RBAC permissions .*\(CLI_CLUSTER_RIGHTS_MISSING\)/);
      expect(refused.code).toBe(7);
    } finally {
      await cluster.kubectl(["delete", "clusterrolebinding,clusterrole", role, "--ignore-not-found"]);
    }
  });

  test("another cluster's name", async () => {
    const refused = await attach(["east"], { kubeconfig: cluster.adminKubeconfig, uid: "not-the-one" });
    expect(refused).toMatchObject({ code: 5, stderr: expect.stringContaining("(CLI_CLUSTER_OTHER)") });
  });

  test.each([
    [["--chart", "./no/such"], 4, "CLI_CHART_MISSING"],
    [["--set", "proxy.replicas=many"], 2, "CLI_CHART_REFUSED"],
    [["--role", "gitops"], 2, "CLI_USAGE"],
  ])("%j", async (args, code, error) => {
    expect(await attach(["north", ...args])).toMatchObject({ code, stderr: expect.stringContaining(`(${error})`) });
  });

  test("no registry for the images, in the chart's words", async () => {
    const refused = await attach(["north", "--image-registry", ""]);
    expect(refused).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("no image of Fairlead is published yet"),
    });
    expect(refused.stderr).toContain("(CLI_CHART_REFUSED)");
  });

  test("no helm", async () => {
    const { kubectl } = await ensureTools(["kubectl"]);
    await mkdir(join(folder, "no-helm"));
    await symlink(kubectl, join(folder, "no-helm", "kubectl"));
    const refused = await attach(["north"], { path: join(folder, "no-helm") });
    expect(refused.stderr).toContain("The program 'helm' can't be started. (CLI_PROGRAM_MISSING)");
    expect(refused.code).toBe(1);
  });

  test("pods that don't come up, with the cluster's own reason and what they log", async () => {
    const west = `${namespace}-west`;
    const nowhere = ["--set-string", "proxy.nodeSelector.nowhere=yes", "--timeout", "12s"];
    const refused = await attach(["west", "--namespace", west, ...nowhere]);
    expect(refused.stderr).toMatch(
      /no link of it for proxy after 12s\. The pod \S+ finds no node: .*\(CLI_ATTACH_NOT_LIVE\)/,
    );
    expect(refused.stderr).toContain(`helm uninstall fairlead-agent --namespace ${west}`);
    expect(refused.code).toBe(1);
  });

  test("none of these left a cluster at the hub, but the one that was installed", async () => {
    expect(await clusterNames()).toEqual(["east", "west"]);
  });

  test("a hub that is away", async () => {
    await hub.stop("KILL");
    expect(await attach(["north"])).toMatchObject({ code: 6, stderr: expect.stringContaining("(API_UNREACHABLE)") });
  });
});

const bothRoles = ["--role", "proxy", "--role", "observe"];
const keptValue = ["--reuse-values", "--set", "proxy.replicas=1"];

interface AttachOptions {
  readonly kubeconfig?: string;
  readonly path?: string;
  /** The cluster's UID, as kubectl tells it. */
  readonly uid?: string;
}

function attachArgs(args: readonly string[], { kubeconfig = cluster.adminKubeconfig }: AttachOptions = {}): string[] {
  const usual = [
    ...(args.includes("--kube-context") ? [] : ["--kube-context", cluster.name]),
    ...(args.includes("--namespace") ? [] : ["--namespace", namespace]),
    ...(args.includes("--chart") ? [] : ["--chart", chartFolder("fairlead-agent")]),
    ...(args.includes("--timeout") ? [] : ["--timeout", "3m"]),
    ...(args.includes("--image-registry") ? [] : ["--image-registry", imageRegistry]),
  ];
  return ["cluster", "attach", ...args, ...usual, "--kubeconfig", kubeconfig];
}

function environment({ path, uid = "" }: AttachOptions = {}): Record<string, string> {
  const bin = path ?? join(folder, "bin");
  return { PATH: `${bin}:/usr/bin:/bin`, HOME: folder, FAIRLEAD_CONFIG: hub.cliConfig, FAKE_UID: uid };
}

function attach(args: readonly string[], options: AttachOptions = {}): Promise<CommandResult> {
  return hub.cli(attachArgs(args, options), { env: environment(options), allowFailure: true, timeoutMs: 150_000 });
}

function follow(args: readonly string[]): FollowedCommand {
  return followCommand(process.execPath, [...programArgs("cli"), ...attachArgs(args)], environment());
}

/** The real programs, each behind a line of shell that keeps what they were called with. */
async function makePrograms(): Promise<void> {
  const { kubectl, helm: helmPath } = await ensureTools(["kubectl", "helm"]);
  const record = `echo "$@" >> '${join(folder, "commands")}'`;
  const lie = 'case "$FAKE_UID $*" in ?*kube-system*) [ -n "$FAKE_UID" ] && echo "$FAKE_UID" && exit ;; esac';
  await mkdir(join(folder, "bin"));
  for (const [name, lines, program] of [
    ["kubectl", `${record}\n${lie}`, kubectl],
    ["helm", record, helmPath],
  ] as const) {
    await writeFile(join(folder, "bin", name), `#!/bin/sh\n${lines}\nexec '${program}' "$@"\n`);
    await chmod(join(folder, "bin", name), 0o755);
  }
}

/** As kubelets would: the token from its Secret, the program as the Deployment says it. */
async function startPodsPrograms(): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/secrets/fairlead-agent-join`;
  const { data } = await cluster.api.json<{ data: { token: string } }>({ path });
  await writeFile(join(folder, "token"), Buffer.from(data.token, "base64"), { mode: 0o600 });
  for (const role of ["proxy", "observe"]) {
    const deployment = await cluster.api.json<Manifest>({
      path: `/apis/apps/v1/namespaces/${namespace}/deployments/fairlead-agent-${role}`,
    });
    const { args, env, serviceAccount } = readPodProgram(deployment, { "/var/run/fairlead/token": folder });
    const kubeconfig = await cluster.kubeconfigForServiceAccount({ namespace, name: serviceAccount });
    const agent = await startProgram("agent", {
      name: `${role} agent`,
      args: [...args, "--kubeconfig", kubeconfig, "--health-listen", "127.0.0.1:0"],
      env: { HOME: folder, ...env },
      logFile: join(folder, `${role}.log`),
    });
    undo.defer(async () => void (await agent.stop({ graceMs: 0 })));
  }
}

async function clusterNames(): Promise<string[]> {
  const { items } = (await requestHub(hub, "/api/v1/clusters")).json() as { items: { name: string }[] };
  return items.map(({ name }) => name).sort();
}

async function isNamespaceThere(name: string): Promise<boolean> {
  return (await cluster.api.send({ path: `/api/v1/namespaces/${name}` })).status === 200;
}
