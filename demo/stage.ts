// The demo's stage: a hub or several, clusters, and for each an agent behind a cable. Everything is a process of its own, the
// agents enroll with one-time tokens, and all of it ends with the demo.
import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import {
  createAgentKubeconfig,
  ensureTools,
  type JoinedCluster,
  joinCluster,
  programArgs,
  repoRoot,
  startCluster,
  startHub,
  startHubs,
  type TestCluster,
  type TestHub,
  type TestHubs,
} from "@fairlead/testkit";
import { stringify } from "yaml";
import { type ArgoStage, joinWithArgo, startHubWithArgo, writeArgocdEnvironment } from "./argocd-stage.ts";
import { takeFolder } from "./folder.ts";
import type { Show } from "./options.ts";
import type { Progress } from "./progress.ts";

export interface DemoCluster extends JoinedCluster {
  /** Undefined for a cluster that the demo did not make. */
  readonly made: TestCluster | undefined;
}

export interface Stage extends AsyncDisposable {
  /** Where there are several: the first one, behind the balancer. */
  readonly hub: TestHub;
  /** Undefined where there is one. Each cluster's agent came to the hub of its own number. */
  readonly several: TestHubs | undefined;
  /** Undefined but for the show of it. */
  readonly argo: ArgoStage | undefined;
  readonly clusters: readonly DemoCluster[];
  /** Through the hub, one context per cluster. */
  readonly kubeconfig: string;
  /** For whoever plays on it: KUBECONFIG, DIRECT_KUBECONFIG, FAIRLEAD_CONFIG, PATH, and what `argocd` reads. */
  readonly environment: Readonly<Record<string, string>>;
}

export const demoFolder: string = join(repoRoot, ".demo");

export async function setStage(options: {
  progress: Progress;
  ownKubeconfig: string | undefined;
  download: boolean;
  hubs: number;
  show: Show;
  signal: AbortSignal;
}): Promise<Stage> {
  const { progress, ownKubeconfig, download, hubs: count, show, signal } = options;
  await using undo = new AsyncDisposableStack();
  undo.use(await takeFolder(demoFolder));
  const onProgress = (line: string) => progress.say(`          ${line}`);
  await progress.step("Looking for the Kubernetes programs", () =>
    ensureTools([...toolNames, ...toolsOf[show]], { onProgress, signal, download }),
  );

  const one = show === "argocd" ? "a cluster with Argo CD for people, a hub beside it," : "a hub";
  const whose = count === 1 ? one : `PostgreSQL, ${count} hubs on it behind a TCP balancer,`;
  const starting = ownKubeconfig ? "Starting a hub" : `Starting ${whose} and two Kubernetes clusters, east and west`;
  const [hubs, ...made] = await progress.step(starting, () =>
    startAll(
      [
        startOneOrMore({ count, show, signal }),
        ...(ownKubeconfig ? [] : [makeCluster("east", signal), makeCluster("west", signal)]),
      ] as const,
      undo,
    ),
  );
  const { hub, several, argo } = hubs;
  const enrolling = argo ? "Starting Argo CD in both clusters, and enrolling" : "Enrolling";
  const clusters = await progress.step(`${enrolling} the agents: each dials out to the hub`, async () => {
    if (ownKubeconfig)
      return [await connect({ name: "own", kubeconfig: ownKubeconfig, hub, made: undefined, undo, signal })];
    if (several) return connectInTurn(several, made, { undo, signal });
    if (argo) return Promise.all(made.map((cluster) => connectWithArgo(cluster, { hub, undo, signal })));
    const programs = programsOf[show];
    const agents = programs.length > 0 ? await prepareExecution(made, programs) : {};
    return Promise.all(made.map((cluster) => connectMade(cluster, { hub, undo, signal, ...agents })));
  });
  const kubeconfig = join(demoFolder, "kubeconfig");
  await hub.cli(["kubeconfig", "--all", "--context-prefix", "", "--output", kubeconfig]);
  const directKubeconfig = ownKubeconfig ?? (await writeDirectKubeconfig(made));
  const release = undo.move();
  return {
    hub,
    several,
    argo,
    clusters,
    kubeconfig,
    environment: {
      KUBECONFIG: kubeconfig,
      DIRECT_KUBECONFIG: directKubeconfig,
      FAIRLEAD_CONFIG: hub.cliConfig,
      KUBECACHEDIR: join(demoFolder, "kubectl-cache"),
      PATH: `${await writeBinFolder(show)}:${process.env["PATH"] ?? ""}`,
      ...(argo && (await writeArgocdEnvironment(argo.argo, demoFolder))),
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
  // Each agent has it, whatever its roles.
  "runner",
] as const;

/** Which agents run, each by commands from the hub. */
const programsOf = { argocd: [], commands: ["helm", "tofu"], doctor: ["helm"], links: [] } as const;
const argoTools = ["argocd", "seclude"] as const;
const toolsOf = {
  argocd: argoTools,
  commands: programsOf.commands,
  doctor: [...programsOf.doctor, ...argoTools],
  links: [],
} as const;

interface Hubs extends AsyncDisposable {
  readonly hub: TestHub;
  readonly several: TestHubs | undefined;
  readonly argo: ArgoStage | undefined;
}

async function startOneOrMore(options: { count: number; show: Show; signal: AbortSignal }): Promise<Hubs> {
  const { count, show, signal } = options;
  const common = { readyTimeoutMs: 180_000, signal };
  if (show === "argocd") {
    const argo = await startHubWithArgo({ stateDir: join(demoFolder, "hub"), ...common });
    return { hub: argo.hub, several: undefined, argo, [Symbol.asyncDispose]: () => argo[Symbol.asyncDispose]() };
  }
  if (count === 1) {
    const hub = await startHub({ stateDir: join(demoFolder, "hub"), ...common });
    return { hub, several: undefined, argo: undefined, [Symbol.asyncDispose]: () => hub[Symbol.asyncDispose]() };
  }
  const several = await startHubs({ count, stateDir: join(demoFolder, "hubs"), ...common });
  return { hub: several.behind, several, argo: undefined, [Symbol.asyncDispose]: () => several[Symbol.asyncDispose]() };
}

/** Waits for all, also when one fails, so that nothing which started is left out of `undo`. */
async function startAll(
  starting: readonly [Promise<Hubs>, ...Promise<TestCluster>[]],
  undo: AsyncDisposableStack,
): Promise<[Hubs, ...TestCluster[]]> {
  const settled = await Promise.allSettled(starting);
  for (const result of settled) if (result.status === "fulfilled") undo.use(result.value);
  for (const result of settled) if (result.status === "rejected") throw result.reason;
  return settled.map((result) => (result as PromiseFulfilledResult<unknown>).value) as [Hubs, ...TestCluster[]];
}

async function makeCluster(name: string, signal: AbortSignal): Promise<TestCluster> {
  const cluster = await startCluster({ name, nodes: 2, signal });
  await cluster.kubectl(["create", "deployment", "hello", "--image=demo", "--replicas=2"]);
  return cluster;
}

/** While an agent enrolls the balancer knows one hub only, each time another, so that it is known who has which link. */
async function connectInTurn(
  { behind: hub, hubs, agents }: TestHubs,
  made: readonly TestCluster[],
  rest: { undo: AsyncDisposableStack; signal: AbortSignal },
): Promise<DemoCluster[]> {
  const connected: DemoCluster[] = [];
  for (const [index, cluster] of made.entries()) {
    agents.use([hubs[index]?.agentPort ?? 0]);
    connected.push(await connectMade(cluster, { hub, ...rest }));
  }
  agents.use(hubs.map(({ agentPort }) => agentPort));
  return connected;
}

/** The hub says what east does, west says it by itself. */
async function connectWithArgo(
  made: TestCluster,
  rest: { hub: TestHub; undo: AsyncDisposableStack; signal: AbortSignal },
): Promise<DemoCluster> {
  const mode = made.name === "east" ? "managed" : "autonomous";
  return { ...(await joinWithArgo({ made, mode, stateDir: join(demoFolder, `agent-${made.name}`), ...rest })), made };
}

/** For agents that may do anything in their clusters. A real one gets the rights that its commands need. */
async function prepareExecution(
  clusters: readonly TestCluster[],
  programs: readonly (typeof programsOf.commands)[number][],
): Promise<AgentOptions> {
  for (const cluster of clusters) {
    const group = "--group=system:serviceaccounts:fairlead";
    await cluster.kubectl(["create", "clusterrolebinding", "demo-commands", "--clusterrole=cluster-admin", group]);
  }
  const tools = await ensureTools(programs);
  const folders = Object.values(tools).map((file) => dirname(file));
  const agentEnv = { PATH: [...folders, process.env["PATH"]].join(":") };
  return { roles: ["proxy", "observe", "execute"], agentEnv };
}

interface AgentOptions {
  readonly roles?: readonly string[];
  readonly agentEnv?: Readonly<Record<string, string>>;
}

async function connectMade(
  made: TestCluster,
  rest: { hub: TestHub; undo: AsyncDisposableStack; signal: AbortSignal } & AgentOptions,
): Promise<DemoCluster> {
  return connect({ name: made.name, kubeconfig: await createAgentKubeconfig(made), made, ...rest });
}

async function connect(options: {
  name: string;
  kubeconfig: string;
  hub: TestHub;
  made: TestCluster | undefined;
  undo: AsyncDisposableStack;
  signal: AbortSignal;
  roles?: readonly string[];
  agentEnv?: Readonly<Record<string, string>>;
}): Promise<DemoCluster> {
  const { name, kubeconfig, hub, made, undo, signal, roles = ["proxy", "observe"], agentEnv = {} } = options;
  const stateDir = join(demoFolder, `agent-${name}`);
  return {
    ...undo.use(await joinCluster({ hub, name, kubeconfig, roles, agentEnv, stateDir, signal })),
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

/** kubectl and Argo CD's CLI as built for the demo, and `fairlead` run from its sources. */
async function writeBinFolder(show: Show): Promise<string> {
  const folder = join(demoFolder, "bin");
  await mkdir(folder, { recursive: true });
  const { kubectl } = await ensureTools(["kubectl"]);
  await symlink(kubectl, join(folder, "kubectl"));
  if (show === "argocd") await symlink((await ensureTools(["argocd"])).argocd, join(folder, "argocd"));
  const words = [process.execPath, ...programArgs("cli")].map((word) => `'${word}'`).join(" ");
  await writeFile(join(folder, "fairlead"), `#!/bin/sh\nexec ${words} "$@"\n`);
  await chmod(join(folder, "fairlead"), 0o755);
  return folder;
}
