// A hub, and an agent that its own lines installed by Helm: the chart's objects are in a real cluster, and what its pods
// would run runs here as processes with the rights of the chart's ServiceAccount.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { waitUntil } from "@fairlead/kernel/testing";
import {
  type ClusterAccess,
  type CommandOptions,
  type CommandResult,
  createNamespace,
  findLogLines,
  type Helm,
  imageRegistry,
  type Manifest,
  openHelm,
  type RunningProcess,
  readPodProgram,
  repoRoot,
  runCommand,
  sharedCluster,
  startHub,
  startProgram,
  type TestHub,
} from "@fairlead/testkit";
import { createRobot } from "./robots.ts";
import { writeKubeconfig } from "./write-kubeconfig.ts";

export interface InstalledAgent extends AsyncDisposable {
  readonly hub: TestHub;
  readonly cluster: ClusterAccess;
  readonly namespace: string;
  readonly helm: Helm;
  /** Where the pods' mounts are: the join token, the policy. */
  readonly folder: string;
  /** The hub's lines to install it by. */
  readonly lines: HelmJoin;
  /** Through the hub, as its admin. */
  readonly peopleKubeconfig: string;
  /** kubectl with the token of the chart's ServiceAccount. */
  asAgent(args: readonly string[], options?: CommandOptions): Promise<CommandResult>;
  /** In a shell, with this test's namespace in place of the suggested one. */
  runLines(lines: string): Promise<CommandResult>;
  /** Runs what the pod runs, until its link is up. */
  startReplica(name: string): Promise<void>;
  stopReplicas(): Promise<void>;
  /** A kubeconfig of a robot that has this role in the cluster. */
  signInAs(role: string): Promise<string>;
}

interface HelmJoin {
  readonly command: string;
  readonly variants: readonly { readonly arguments: string }[];
}

export const release = "fairlead-agent";
export const deployment = "fairlead-agent-proxy";

export async function installAgent(
  options: {
    readonly replicas?: readonly string[];
    /** The cluster that tests share unless told; there, other tests give the hub's groups more than the chart does. */
    readonly cluster?: ClusterAccess;
  } = {},
): Promise<InstalledAgent> {
  const { replicas: names = ["first", "second"] } = options;
  await using undo = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "fairlead-charts-"));
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  const cluster = options.cluster ?? (await sharedCluster());
  const hub = undo.use(await startHub());
  const { name: namespace } = undo.use(await createNamespace(cluster, "charts"));
  const inNamespace = ["--namespace", namespace];
  const helm = undo.use(await openHelm({ kubeconfig: cluster.adminKubeconfig }));
  undo.defer(async () => void (await helm.run(["uninstall", release, ...inNamespace], { allowFailure: true })));

  const { stdout } = await hub.cli(["cluster", "add", "east", "--token-out", join(folder, "token"), "--json"]);
  const { helm: lines } = JSON.parse(stdout).join as { helm?: HelmJoin };
  if (lines === undefined) throw new Error("the hub gave no lines for Helm");
  await runLines(`${lines.command} --set-string image.registry=${imageRegistry} --wait`);
  const kubeconfig = await cluster.kubeconfigForServiceAccount({ namespace, name: deployment });
  const replicas: RunningProcess[] = [];
  undo.defer(stopReplicas);
  // At once: only one of them may get to spend the token on its key.
  await Promise.all(names.map(startReplica));
  const peopleKubeconfig = join(folder, "kubeconfig");
  await hub.cli(["kubeconfig", "east", "--context-prefix", "", "--output", peopleKubeconfig]);

  const asAgent: InstalledAgent["asAgent"] = (args, options = {}) => cluster.kubectl(args, { ...options, kubeconfig });
  const kept = undo.move();
  return {
    hub,
    cluster,
    namespace,
    helm,
    folder,
    lines,
    peopleKubeconfig,
    asAgent,
    runLines,
    startReplica,
    stopReplicas,
    signInAs,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };

  function runLines(text: string): Promise<CommandResult> {
    const script = text.replaceAll(/namespace fairlead\b/g, `namespace ${namespace}`);
    const path = [helm.path, cluster.kubectlPath].map(dirname).join(delimiter);
    const env = { ...cluster.kubectlEnv(), PATH: `${path}${delimiter}${process.env["PATH"] ?? ""}` };
    return runCommand("sh", ["-ec", script], { env, cwd: repoRoot });
  }

  async function startReplica(name: string): Promise<void> {
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments/${deployment}`;
    const object = await cluster.api.json<Manifest>({ path });
    const mounts = { "/var/run/fairlead/token": folder, "/etc/fairlead/policy": folder };
    const { args, env } = readPodProgram(object, mounts);
    const logFile = join(folder, `${name}.log`);
    const replica = await startProgram("agent", {
      name: `${name} replica`,
      args: [...args, "--kubeconfig", kubeconfig, "--health-listen", "127.0.0.1:0"],
      env: { HOME: folder, ...env },
      logFile,
    });
    replicas.push(replica);
    const isConnected = async () => (await findLogLines(logFile, "agent is connected")).length > 0;
    if (!(await waitUntil(isConnected, { timeoutMs: 60_000 }))) throw new Error(`the ${name} replica got no link`);
  }

  async function stopReplicas(): Promise<void> {
    await Promise.all(replicas.splice(0).map((replica) => replica.stop({ graceMs: 5_000 })));
  }

  async function signInAs(role: string): Promise<string> {
    const { name, token } = await createRobot(hub, { role });
    const file = join(folder, `${name.replace(":", "-")}.kubeconfig`);
    await writeKubeconfig(file, { hub, cluster: "east", credentials: { token } });
    return file;
  }
}
