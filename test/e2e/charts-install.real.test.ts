// The agent's chart installed by real Helm, and the agent run as its ServiceAccount: what it may do is what the chart
// gave it, and nothing else.
import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import {
  type ClusterAccess,
  chartFolder,
  createNamespace,
  findLogLines,
  type Helm,
  openHelm,
  type RunningProcess,
  readPodProgram,
  repoRoot,
  runCommand,
  sharedCluster,
  startHub,
  startProgram,
  type TestHub,
  type TestNamespace,
  waitUntil,
} from "@fairlead/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const release = "fairlead-agent";
const identitySecret = "fairlead-agent-proxy-identity";

interface HelmJoin {
  readonly command: string;
  readonly variants: readonly { readonly arguments: string }[];
}

let undo: AsyncDisposableStack;
let folder: string;
let hub: TestHub;
let cluster: ClusterAccess;
let namespace: TestNamespace;
let helm: Helm;
/** With the token of the chart's ServiceAccount. */
let agentKubeconfig: string;
let peopleKubeconfig: string;
const replicas: RunningProcess[] = [];
/** What the hub answered to `cluster add`. */
let installed: HelmJoin;

beforeAll(async () => {
  undo = new AsyncDisposableStack();
  folder = await mkdtemp(join(tmpdir(), "fairlead-charts-"));
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  cluster = await sharedCluster();
  hub = undo.use(await startHub());
  namespace = undo.use(await createNamespace(cluster, "charts"));
  helm = undo.use(await openHelm({ kubeconfig: cluster.adminKubeconfig }));
  undo.defer(async () => void (await helm.run(["uninstall", release, ...inNamespace()], { allowFailure: true })));

  const { stdout } = await hub.cli(["cluster", "add", "east", "--token-out", join(folder, "token"), "--json"]);
  const { helm: install } = JSON.parse(stdout).join as { helm?: HelmJoin };
  if (install === undefined) throw new Error("the hub gave no lines for Helm");
  await runLines(`${install.command} --wait`);
  installed = install;
  agentKubeconfig = await cluster.kubeconfigForServiceAccount({
    namespace: namespace.name,
    name: "fairlead-agent-proxy",
  });
  undo.defer(() => Promise.all(replicas.map((replica) => replica.stop({ graceMs: 5_000 }))).then(() => undefined));
  // At once: only one of them may get to spend the token on its key.
  await Promise.all(["first", "second"].map(startReplica));
  peopleKubeconfig = join(folder, "kubeconfig");
  await hub.cli(["kubeconfig", "east", "--context-prefix", "", "--output", peopleKubeconfig]);
});
afterAll(() => undo?.disposeAsync());

test("the lines for other surroundings are ones that the chart takes", async () => {
  const [template = ""] = installed.command.match(/^helm .*$/m) ?? [];
  for (const variant of [...installed.variants, { arguments: "" }]) {
    const line = template.replace("upgrade --install", "template");
    expect((await runLines(`${line} ${variant.arguments}`)).stdout).toContain("kind: Deployment");
  }
});

test("two replicas enroll with one token as one identity, which is kept in the chart's Secret", async () => {
  const { stdout } = await hub.cli(["cluster", "show", "east", "--json"]);
  const { links, identities } = JSON.parse(stdout);
  expect(links).toHaveLength(2);
  expect(identities).toHaveLength(1);
  const { data } = await secretNamed(identitySecret);
  expect(JSON.parse(Buffer.from(data["identity.json"] ?? "", "base64").toString()).issued.cluster).toBe("east");
});

test("kubectl works through the hub with no more than the chart's rights", async () => {
  const { stdout } = await cluster.kubectl(["get", "nodes", "-o", "name"], { kubeconfig: peopleKubeconfig });
  expect(stdout).toBe((await cluster.kubectl(["get", "nodes", "-o", "name"])).stdout);
});

test("the account's own rights are these, in its namespace and elsewhere", async () => {
  const everywhere = [
    "groups [] [fairlead:admins] [impersonate]",
    "groups [] [fairlead:operators] [impersonate]",
    "groups [] [fairlead:viewers] [impersonate]",
    "namespaces [] [kube-system] [get]",
    "uids.authentication.k8s.io [] [] [impersonate]",
    "users [] [] [impersonate]",
  ];
  expect(await listRights("default")).toEqual(everywhere);
  const own = [...everywhere, `secrets [] [${identitySecret}] [get update]`].sort();
  expect(await listRights(namespace.name)).toEqual(own);
});

test.each<[string, string[]]>([
  ["list Secrets", ["get", "secrets"]],
  ["read the join token's Secret", ["get", "secret", "join"]],
  ["create a Secret", ["create", "secret", "generic", "another"]],
  ["delete its own Secret", ["delete", "secret", identitySecret]],
  ["create Pods", ["create", "-f", "-"]],
  ["list Pods", ["get", "pods"]],
  ["read ConfigMaps", ["get", "configmaps"]],
  ["get a namespace that isn't kube-system", ["get", "namespace", "default"]],
  ["list nodes", ["get", "nodes"]],
  ["make a token of its own", ["create", "token", "fairlead-agent-proxy"]],
  ["bind itself to a role", ["create", "clusterrolebinding", "x", "--clusterrole=cluster-admin", "--user=x"]],
  ["act for system:masters", ["get", "pods", "--as=alice", "--as-group=system:masters"]],
  ["act for a group that isn't configured", ["get", "pods", "--as=alice", "--as-group=team:a"]],
  ["act for a ServiceAccount", ["get", "pods", "--as=system:serviceaccount:kube-system:default"]],
  ["act with an extra", ["get", "pods", "--as=alice", "--as-user-extra=scopes=all"]],
])("the account may not %s", async (_what, args) => {
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "x" },
    spec: { containers: [{ name: "x", image: "x" }] },
  };
  const refused = await asAgent([...inNamespace(), ...args], { input: JSON.stringify(pod), allowFailure: true });
  expect(refused.stderr).toMatch(/\(Forbidden\)|is forbidden/);
  expect(refused.code).toBe(1);
});

describe("what the groups are bound to", () => {
  const attempts = () => [
    ["get", "pods", ...inNamespace()],
    ["get", "secrets", ...inNamespace()],
    ["get", "nodes"],
    ["create", "configmap", "made", "--dry-run=server", ...inNamespace()],
  ];
  const exits = { viewer: [0, 1, 1, 1], operator: [0, 0, 1, 0], admin: [0, 0, 0, 0] };

  test("is what a user has for whom the account asks", async () => {
    for (const [role, codes] of Object.entries(exits)) {
      const as = ["--as=alice", `--as-group=fairlead:${role}s`];
      const runs = attempts().map((args) => asAgent([...args, ...as], { allowFailure: true }));
      expect(
        (await Promise.all(runs)).map(({ code }) => code),
        role,
      ).toEqual(codes);
    }
  });

  test("is what someone has through the hub who was given the role there", async () => {
    for (const [role, codes] of Object.entries(exits)) {
      const kubeconfig = await signInAs(role);
      const runs = attempts().map((args) => cluster.kubectl(args, { kubeconfig, allowFailure: true }));
      expect(
        (await Promise.all(runs)).map(({ code }) => code),
        role,
      ).toEqual(codes);
    }
    const { stderr } = await cluster.kubectl(["get", "nodes"], {
      kubeconfig: await signInAs("operator"),
      allowFailure: true,
    });
    expect(stderr).toContain('User "robot:operator-');
    expect(stderr).toContain('cannot list resource "nodes"');
  });
});

test("an upgrade leaves the identity alone, and new values reach objects and agent", async () => {
  const before = await secretNamed(identitySecret);
  const upgrade = ["upgrade", release, chartFolder("fairlead-agent"), ...inNamespace(), "--reuse-values", "--wait"];
  const policy = ["--set", "proxy.policy.readOnly=true", "--set", "proxy.policy.namespaces.deny={kube-system}"];
  await helm.run([...upgrade, "--set", "proxy.replicas=1", "--set", "commonLabels.team=a", ...policy]);
  const after = await secretNamed(identitySecret);
  expect(after.data).toEqual(before.data);
  expect(after.metadata.labels["team"]).toBe("a");
  const { stdout } = await cluster.kubectl([...inNamespace(), "get", "poddisruptionbudgets", "-o", "name"]);
  expect(stdout).toBe("");

  const path = "jsonpath={.data.policy\\.yaml}";
  const map = await cluster.kubectl([...inNamespace(), "get", "configmap", "fairlead-agent-proxy-policy", "-o", path]);
  await writeFile(join(folder, "policy.yaml"), map.stdout);
  for (const replica of replicas.splice(0)) await replica.stop({ graceMs: 5_000 });
  await startReplica("third");
  const throughHub = (...args: string[]) => cluster.kubectl(args, { kubeconfig: peopleKubeconfig, allowFailure: true });
  expect((await throughHub("create", "configmap", "made", ...inNamespace())).stderr).toContain("rule readOnly");
  expect((await throughHub("get", "pods", "-n", "kube-system")).stderr).toContain("rule namespaces.deny");
  expect((await throughHub("get", "pods", ...inNamespace())).code).toBe(0);
});

test("an uninstall takes all of it away, the identity as well", async () => {
  await helm.run(["uninstall", release, ...inNamespace(), "--wait"]);
  const kinds =
    "deployments,secrets,serviceaccounts,roles,rolebindings,clusterroles,clusterrolebindings,networkpolicies";
  const selector = ["-l", `app.kubernetes.io/instance=${release}`];
  const { stdout } = await cluster.kubectl([...inNamespace(), "get", kinds, "-o", "name", ...selector]);
  const left = stdout.split("\n").filter((line) => !/clusterrole/.test(line) || line.includes(namespace.name));
  expect(left.join("\n").trim()).toBe("");
});

/** A kubeconfig of a robot that has this role in the cluster. */
async function signInAs(role: string): Promise<string> {
  const robot = `${role}-${randomBytes(3).toString("hex")}`;
  await hub.cli(["access", "robot", "add", robot]);
  await hub.cli(["access", "bind", role, "--robot", robot, "--cluster", "east"]);
  const [tokenFile, kubeconfig] = [join(folder, `${robot}.token`), join(folder, `${robot}.kubeconfig`)];
  await hub.cli(["access", "robot", "token", robot, "--token-out", tokenFile]);
  await hub.cli(["kubeconfig", "east", "--static-token", tokenFile, "--output", kubeconfig]);
  return kubeconfig;
}

/** In a shell of whoever follows the hub's answer, but with the test's namespace. */
function runLines(lines: string) {
  const script = lines.replaceAll(/namespace fairlead\b/g, `namespace ${namespace.name}`);
  const path = [helm.path, cluster.kubectlPath].map(dirname).join(delimiter);
  const env = { ...cluster.kubectlEnv(), PATH: `${path}${delimiter}${process.env["PATH"] ?? ""}` };
  return runCommand("sh", ["-ec", script], { env, cwd: repoRoot });
}

/** The program of the chart's pod, as a process here that has the ServiceAccount's rights. */
async function startReplica(name: string): Promise<void> {
  const { stdout } = await cluster.kubectl([
    ...inNamespace(),
    "get",
    "deployment",
    "fairlead-agent-proxy",
    "-o",
    "json",
  ]);
  const { args, env } = readPodProgram(JSON.parse(stdout), {
    "/var/run/fairlead/token": folder,
    "/etc/fairlead/policy": folder,
  });
  const logFile = join(folder, `${name}.log`);
  const program = await startProgram("agent", {
    name: `${name} replica`,
    args: [...args, "--kubeconfig", agentKubeconfig, "--health-listen", "127.0.0.1:0"],
    env: { HOME: folder, ...env },
    logFile,
  });
  replicas.push(program);
  const isConnected = async () => (await findLogLines(logFile, "agent is connected")).length > 0;
  expect(await waitUntil(isConnected, { timeoutMs: 60_000 })).toBe(true);
}

/** Without what everybody may: ask for their own rights, and read discovery documents. */
async function listRights(inside: string): Promise<string[]> {
  const { stdout } = await asAgent(["auth", "can-i", "--list", "--no-headers", "--namespace", inside]);
  const lines = stdout.split("\n").filter((line) => line !== "" && !line.startsWith(" ") && !line.startsWith("self"));
  return lines.map((line) => line.replace(/ {2,}/g, " ").trim()).sort();
}

function asAgent(args: readonly string[], options: { input?: string; allowFailure?: boolean } = {}) {
  return cluster.kubectl(args, { ...options, kubeconfig: agentKubeconfig });
}

async function secretNamed(name: string) {
  const { stdout } = await cluster.kubectl([...inNamespace(), "get", "secret", name, "-o", "json"]);
  return JSON.parse(stdout) as { data: Record<string, string>; metadata: { labels: Record<string, string> } };
}

function inNamespace(): string[] {
  return ["--namespace", namespace.name];
}
