import { join } from "node:path";
import {
  ensureTools,
  joinCluster,
  repoRoot,
  runCommand,
  startCluster,
  startHub,
  type TestAgent,
  type TestCluster,
  type TestHub,
} from "@fairlead/testkit";
import { buildPrograms } from "../harness/build-programs.ts";
import type { CommandLine } from "../harness/measure-command.ts";

export interface CliStage extends AsyncDisposable {
  readonly cluster: TestCluster;
  readonly hub: TestHub;
  readonly agent: TestAgent;
  readonly folder: string;
  /** A kubeconfig with the cluster through the hub, whose credential the built command gives. */
  readonly kubeconfig: string;
  readonly kubectl: string;
  readonly helm: string;
  readonly env: Readonly<Record<string, string>>;
  /** The last build, as users run it. */
  fairlead(...args: readonly string[]): CommandLine;
}

export async function setCliStage(): Promise<CliStage> {
  await buildPrograms();
  await using undo = new AsyncDisposableStack();
  const { kubectl, helm } = await ensureTools(["kubectl", "helm"]);
  const cluster = undo.use(await startCluster({ name: "bench-cli", nodes: 1 }));
  const hub = undo.use(await startHub({ isBuilt: true }));
  const { agent } = undo.use(
    await joinCluster({
      hub,
      name: "east",
      roles: ["observe", "proxy"],
      kubeconfig: cluster.adminKubeconfig,
      isAgentBuilt: true,
    }),
  );
  const folder = cluster.stateDir;
  // A home of its own: compiled modules are kept there.
  const env = { PATH: process.env["PATH"] ?? "", HOME: folder, FAIRLEAD_CONFIG: hub.cliConfig };
  const fairlead = (...args: readonly string[]): CommandLine => ({
    command: process.execPath,
    args: [join(repoRoot, "packages", "cli", "dist", "main.js"), ...args],
    env,
  });
  await prepareCluster(cluster);
  const kubeconfig = join(folder, "through-hub");
  const { command, args } = fairlead("kubeconfig", "east", "--output", kubeconfig);
  await runCommand(command, args, { env });
  await untilPodsAreSeen(fairlead("get", "pods", "-o", "name"));
  const release = undo.move();
  return {
    cluster,
    hub,
    agent,
    folder,
    kubeconfig,
    kubectl,
    helm,
    env,
    fairlead,
    [Symbol.asyncDispose]: () => release.disposeAsync(),
  };
}

async function prepareCluster(cluster: TestCluster): Promise<void> {
  const items = Array.from({ length: podCount }, (_, index) => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: `pod-${index}`, namespace: "default" },
    spec: { containers: [{ name: "main", image: "bench" }] },
  }));
  const input = JSON.stringify({ apiVersion: "v1", kind: "List", items });
  await cluster.kubectl(["create", "-f", "-"], { input });
  // The hub's admin, as the cluster knows them.
  await cluster.kubectl(["create", "clusterrolebinding", "bench", "--clusterrole=cluster-admin", "--user=admin"]);
}

async function untilPodsAreSeen({ command, args, env }: CommandLine): Promise<void> {
  for (const deadline = Date.now() + 60_000; ; ) {
    const { stdout } = await runCommand(command, args, { env: { ...env }, allowFailure: true });
    if (stdout.trim().split("\n").length >= podCount) return;
    if (Date.now() > deadline) throw new Error(`the hub doesn't show the pods: ${stdout}`);
  }
}

const podCount = 100;
