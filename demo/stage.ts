// The demo's stage: a hub, clusters, and for each an agent behind a cable. Everything is a process of its own, the
// agents enroll with one-time tokens, and all of it ends with the demo.
import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  createAgentKubeconfig,
  ensureTools,
  type JoinedCluster,
  joinCluster,
  programArgs,
  repoRoot,
  startCluster,
  startHub,
  type TestCluster,
  type TestHub,
} from "@fairlead/testkit";
import { stringify } from "yaml";
import { takeFolder } from "./folder.ts";
import type { Progress } from "./progress.ts";

export interface DemoCluster extends JoinedCluster {
  /** Undefined for a cluster that the demo did not make. */
  readonly made: TestCluster | undefined;
}

export interface Stage extends AsyncDisposable {
  readonly hub: TestHub;
  readonly clusters: readonly DemoCluster[];
  /** Through the hub, one context per cluster. */
  readonly kubeconfig: string;
  /** For whoever plays on it: KUBECONFIG, DIRECT_KUBECONFIG, FAIRLEAD_CONFIG, PATH. */
  readonly environment: Readonly<Record<string, string>>;
}

export const demoFolder: string = join(repoRoot, ".demo");

export async function setStage(options: {
  progress: Progress;
  ownKubeconfig: string | undefined;
  download: boolean;
  signal: AbortSignal;
}): Promise<Stage> {
  const { progress, ownKubeconfig, download, signal } = options;
  await using undo = new AsyncDisposableStack();
  undo.use(await takeFolder(demoFolder));
  const onProgress = (line: string) => progress.say(`          ${line}`);
  await progress.step("Looking for the Kubernetes programs", () =>
    ensureTools(toolNames, { onProgress, signal, download }),
  );

  const starting = ownKubeconfig ? "Starting a hub" : "Starting a hub and two Kubernetes clusters, east and west";
  const [hub, ...made] = await progress.step(starting, () =>
    startAll(
      [
        startHub({ stateDir: join(demoFolder, "hub"), readyTimeoutMs: 180_000, signal }),
        ...(ownKubeconfig ? [] : [makeCluster("east", signal), makeCluster("west", signal)]),
      ] as const,
      undo,
    ),
  );
  const clusters = await progress.step("Enrolling the agents: each dials out to the hub", () =>
    Promise.all(
      ownKubeconfig
        ? [connect({ name: "own", kubeconfig: ownKubeconfig, hub, made: undefined, undo, signal })]
        : made.map(async (cluster) =>
            connect({
              name: cluster.name,
              kubeconfig: await createAgentKubeconfig(cluster),
              hub,
              made: cluster,
              undo,
              signal,
            }),
          ),
    ),
  );
  const kubeconfig = join(demoFolder, "kubeconfig");
  await hub.cli(["kubeconfig", "--all", "--context-prefix", "", "--output", kubeconfig]);
  const directKubeconfig = ownKubeconfig ?? (await writeDirectKubeconfig(made));
  const release = undo.move();
  return {
    hub,
    clusters,
    kubeconfig,
    environment: {
      KUBECONFIG: kubeconfig,
      DIRECT_KUBECONFIG: directKubeconfig,
      FAIRLEAD_CONFIG: hub.cliConfig,
      KUBECACHEDIR: join(demoFolder, "kubectl-cache"),
      PATH: `${await writeBinFolder()}:${process.env["PATH"] ?? ""}`,
    },
    [Symbol.asyncDispose]: () => release.disposeAsync(),
  };
}

const toolNames = [
  "etcd",
  "kube-apiserver",
  "kube-controller-manager",
  "kube-scheduler",
  "kubectl",
  "kwok",
  "podserver",
  "leash",
] as const;

/** Waits for all, also when one fails, so that nothing which started is left out of `undo`. */
async function startAll(
  starting: readonly [Promise<TestHub>, ...Promise<TestCluster>[]],
  undo: AsyncDisposableStack,
): Promise<[TestHub, ...TestCluster[]]> {
  const settled = await Promise.allSettled(starting);
  for (const result of settled) if (result.status === "fulfilled") undo.use(result.value);
  for (const result of settled) if (result.status === "rejected") throw result.reason;
  return settled.map((result) => (result as PromiseFulfilledResult<unknown>).value) as [TestHub, ...TestCluster[]];
}

async function makeCluster(name: string, signal: AbortSignal): Promise<TestCluster> {
  const cluster = await startCluster({ name, nodes: 2, signal });
  await cluster.kubectl(["create", "deployment", "hello", "--image=demo", "--replicas=2"]);
  return cluster;
}

async function connect(options: {
  name: string;
  kubeconfig: string;
  hub: TestHub;
  made: TestCluster | undefined;
  undo: AsyncDisposableStack;
  signal: AbortSignal;
}): Promise<DemoCluster> {
  const { name, kubeconfig, hub, made, undo, signal } = options;
  const stateDir = join(demoFolder, `agent-${name}`);
  return {
    ...undo.use(await joinCluster({ hub, name, kubeconfig, roles: ["proxy", "observe"], stateDir, signal })),
    made,
  };
}

async function writeDirectKubeconfig(clusters: readonly TestCluster[]): Promise<string> {
  const path = join(demoFolder, "kubeconfig.direct");
  const content = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": clusters[0]?.name,
    contexts: clusters.map(({ name }) => ({ name, context: { cluster: name, user: name } })),
    clusters: clusters.map(({ name, url, caPem }) => ({
      name,
      cluster: { server: url, "certificate-authority-data": Buffer.from(caPem).toString("base64") },
    })),
    users: clusters.map(({ name, adminToken }) => ({ name, user: { token: adminToken } })),
  };
  await writeFile(path, stringify(content), { mode: 0o600 });
  return path;
}

/** kubectl as built for the demo, and `fairlead` run from its sources. */
async function writeBinFolder(): Promise<string> {
  const folder = join(demoFolder, "bin");
  await mkdir(folder, { recursive: true });
  const { kubectl } = await ensureTools(["kubectl"]);
  await symlink(kubectl, join(folder, "kubectl"));
  const words = [process.execPath, ...programArgs("cli")].map((word) => `'${word}'`).join(" ");
  await writeFile(join(folder, "fairlead"), `#!/bin/sh\nexec ${words} "$@"\n`);
  await chmod(join(folder, "fairlead"), 0o755);
  return folder;
}
