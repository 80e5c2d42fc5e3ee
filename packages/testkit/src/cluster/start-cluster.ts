// A Kubernetes cluster from plain processes on loopback. etcd, the pod server and the API server start together;
// the rest follows when the API server answers.
import { rm, writeFile } from "node:fs/promises";
import { collectRarely } from "../collect-rarely.ts";
import { reservePorts } from "../processes/index.ts";
import { ensureTools, type ToolPaths } from "../tools/index.ts";
import { accessCluster, type ClusterAccess } from "./cluster-access.ts";
import { type Component, startComponent } from "./component.ts";
import {
  type ComponentContext,
  type ComponentName,
  commandLines,
  componentNames,
  egressConfiguration,
  egressConfigurationFile,
  stagesFile,
} from "./components.ts";
import { isServing } from "./is-serving.ts";
import { renderKubeconfig } from "./kubeconfig.ts";
import { kwokStages } from "./kwok-stages.ts";
import { createStateDir, kubeconfigFile, logFile, pkiFolder, writeRecord } from "./layout.ts";
import { createNodes, podCidr, readyTimeoutMs, waitForNodes } from "./nodes.ts";
import { readPair, writePki } from "./pki.ts";

export interface StartClusterOptions {
  /** A DNS label; also the name of the kubeconfigs' context. */
  readonly name?: string;
  /** The number may be up to 1000. */
  readonly nodes?: number;
  /** Added after the usual arguments, so that they win. */
  readonly extraArgs?: Readonly<Partial<Record<ComponentName, readonly string[]>>>;
  readonly extraEnv?: Readonly<Partial<Record<ComponentName, Readonly<Record<string, string>>>>>;
  /** Leave the state folder behind, to look at. */
  readonly keepState?: boolean;
  readonly onProgress?: (line: string) => void;
  readonly signal?: AbortSignal;
}

export interface TestCluster extends ClusterAccess, AsyncDisposable {
  readonly apiServer: Component;
  readonly components: Readonly<Record<ComponentName, Component>>;
}

/** The tools that a cluster is made of, and those that talk to it. */
export const clusterTools: readonly (ComponentName | "kubectl")[] = [...componentNames, "kubectl"];

export async function startCluster(options: StartClusterOptions = {}): Promise<TestCluster> {
  const { name = "test", nodes = 1, signal } = options;
  const tools = await ensureTools(clusterTools, { onProgress: options.onProgress, signal });
  await using undo = new AsyncDisposableStack();
  const stateDir = await createStateDir(name);
  if (options.keepState !== true) undo.defer(() => rm(stateDir, { recursive: true, force: true, maxRetries: 3 }));
  const lease = undo.use(await reservePorts(4));
  const [etcdClient = 0, etcdPeer = 0, apiServerPort = 0, podServer = 0] = lease.ports;
  const ports = { etcdClient, etcdPeer, apiServer: apiServerPort, podServer };
  const url = `https://127.0.0.1:${apiServerPort}`;
  const { adminToken } = await writePki(pkiFolder(stateDir), name);
  await writeConfiguration({ clusterName: name, stateDir, url });
  const etcdUrl = `http://127.0.0.1:${etcdClient}`;
  const record = { name, url, etcdUrl, stateDir, adminToken, kubectl: tools.kubectl };
  const access = await accessCluster(record);
  undo.use(access.api);

  const itsNodes = { api: access.api, clusterName: name, count: nodes, signal };
  const context = { clusterName: name, stateDir, ports, podCidr };
  const start = (component: ComponentName, readyWhen?: () => Promise<boolean>) =>
    startOne({ component, context, tools, options, readyWhen, undo });

  // Stopped in reverse: an API server that loses its etcd first hangs until it is killed.
  const etcd = await start("etcd");
  const [apiServer, podserver] = await Promise.all([
    start("kube-apiserver", () => isServing(access.api)),
    start("podserver"),
  ]);
  const [controllerManager, scheduler, kwok] = await Promise.all([
    start("kube-controller-manager"),
    start("kube-scheduler"),
    start("kwok"),
    createNodes(itsNodes),
  ]);
  await waitForNodes(itsNodes);
  await writeRecord(record);
  const release = undo.move();
  return {
    ...access,
    apiServer,
    components: {
      etcd,
      podserver,
      "kube-apiserver": apiServer,
      "kube-controller-manager": controllerManager,
      "kube-scheduler": scheduler,
      kwok,
    },
    [Symbol.asyncDispose]: () => release.disposeAsync(),
  };
}

async function startOne(options: {
  component: ComponentName;
  context: ComponentContext;
  tools: ToolPaths<ComponentName>;
  options: StartClusterOptions;
  readyWhen: (() => Promise<boolean>) | undefined;
  undo: AsyncDisposableStack;
}): Promise<Component> {
  const { component, context, tools, options: wanted, readyWhen, undo } = options;
  const { stateDir } = context;
  const started = await startComponent({
    name: component,
    command: tools[component],
    args: [...commandLines[component](context), ...(wanted.extraArgs?.[component] ?? [])],
    // HOME: kwok and others look for configuration there, and must not find a person's.
    env: { HOME: stateDir, TMPDIR: stateDir, ...collectRarely(), ...wanted.extraEnv?.[component] },
    cwd: stateDir,
    logFile: logFile(stateDir, component),
    ...(readyWhen && { readyWhen }),
    readyTimeoutMs,
    signal: wanted.signal,
  });
  // The state is thrown away, so there is nothing to wait for.
  undo.defer(() => started.stop({ graceMs: 0 }));
  return started;
}

async function writeConfiguration(options: { clusterName: string; stateDir: string; url: string }): Promise<void> {
  const { clusterName, stateDir, url } = options;
  const pki = pkiFolder(stateDir);
  const { certPem: caPem } = await readPair(pki, "ca");
  for (const user of ["admin", "kube-controller-manager", "kube-scheduler", "kwok"]) {
    const credentials = await readPair(pki, user);
    const content = renderKubeconfig({ clusterName, url, caPem, credentials });
    await writeFile(kubeconfigFile(stateDir, user), content, { mode: 0o600 });
  }
  await writeFile(egressConfigurationFile(stateDir), egressConfiguration(stateDir));
  await writeFile(stagesFile(stateDir), kwokStages);
}
