import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import {
  type ClusterAccess,
  createAgentKubeconfig,
  createNamespace,
  ensureTools,
  joinCluster,
  type TestCluster,
} from "@fairlead/testkit";
import type { FaultKind } from "../fleet/keep-failing.ts";
import { mountSmallDisk } from "../fleet/small-disk.ts";
import { makeSteppedClock } from "../fleet/stepped-clock.ts";
import { canaryName, type Ground, type Harness } from "./harness.ts";

export async function prepareGround(options: {
  readonly hub: Harness["hub"];
  readonly cluster: ClusterAccess | TestCluster;
  readonly name: string;
  readonly canary: string;
  /** The ground has what these need. */
  readonly faults: readonly FaultKind[];
  readonly undo: AsyncDisposableStack;
}): Promise<Ground> {
  const { hub, cluster, name, canary, faults, undo } = options;
  const { name: namespace } = undo.use(await createNamespace(cluster, "storm"));
  const account = `${namespace}-agent`;
  const kubeconfig = await createAgentKubeconfig(cluster, account);
  undo.defer(async () => void (await cluster.api.send({ method: "DELETE", path: `/api/v1/namespaces/${account}` })));
  const inNamespace = ["--namespace", namespace];
  const group = `--group=system:serviceaccounts:${account}`;
  await cluster.kubectl(["create", "rolebinding", "storm", "--clusterrole=cluster-admin", group, ...inNamespace]);
  const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: canaryName }, stringData: { value: canary } };
  await cluster.kubectl(["apply", "-f", "-", ...inNamespace], { input: JSON.stringify(secret) });
  const folder = await mkdtemp(join(tmpdir(), "fairlead-storm-"));
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  // Provisioners of the storm's configurations are programs.
  await writeFile(join(folder, "policy.yaml"), "execute: {tofu: {programs: true}}\n");
  const { helm, tofu } = await ensureTools(["helm", "tofu"]);
  const path = [dirname(helm), dirname(tofu), process.env["PATH"]].join(":");
  const clock = faults.includes("clock-stepped") ? await makeSteppedClock(folder) : undefined;
  const disk = faults.includes("disk-full") ? await prepareDisk(folder, undo) : undefined;
  const joined = undo.use(
    await joinCluster({
      hub,
      name,
      kubeconfig,
      roles: ["execute"],
      agentArgs: ["--execute-parallel", "6", "--policy-file", join(folder, "policy.yaml")],
      agentEnv: { PATH: path, ...clock?.env },
      ...(disk && { agentLauncher: disk.launcher, stateDir: disk.stateDir }),
    }),
  );
  const { stateDir } = joined.agent;
  return {
    cluster,
    namespace,
    joined,
    apiServer: "apiServer" in cluster ? cluster.apiServer : undefined,
    disk,
    clock,
    agentFolders: disk === undefined ? [stateDir] : [stateDir, disk.view(join(stateDir, "identity"))],
  };
}

/** All that the agent writes is on it, but for its log: that is the test's. */
async function prepareDisk(folder: string, undo: AsyncDisposableStack) {
  const stateDir = join(folder, "state");
  const mounted = join(stateDir, "identity");
  // Programs of commands run as other users, and have to get to their folders.
  await chmod(folder, 0o711);
  await mkdir(mounted, { recursive: true, mode: 0o711 });
  const disk = await mountSmallDisk({ folder: mounted, bytes: diskBytes, logFile: join(folder, "disk.log") });
  undo.use(disk);
  return { ...disk, stateDir };
}

const diskBytes = 64 * 1024 * 1024;
