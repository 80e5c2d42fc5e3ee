// Sets up the show of Argo CD. Two clusters have an Argo CD that syncs. A third one has a stock Argo CD that syncs
// nothing itself, where people look.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type ArgoHub,
  type ArgoRepository,
  applyObjects,
  createAgentKubeconfig,
  type JoinedCluster,
  joinCluster,
  openArgoRepository,
  reservePorts,
  startArgoCluster,
  startArgoHub,
  startCluster,
  startHub,
  type TestCluster,
  type TestHub,
} from "@fairlead/testkit";

export interface ArgoStage {
  /** The cluster with the Argo CD that people look at. */
  readonly center: TestCluster;
  /** The Argo CD in that cluster. */
  readonly argo: ArgoHub;
  /** Both clusters deploy from it. */
  readonly repository: ArgoRepository;
}

export interface HubWithArgo extends ArgoStage, AsyncDisposable {
  readonly hub: TestHub;
}

export async function startHubWithArgo(options: {
  readonly stateDir: string;
  readonly readyTimeoutMs: number;
  readonly signal: AbortSignal;
}): Promise<HubWithArgo> {
  await using undo = new AsyncDisposableStack();
  const center = undo.use(await startCluster({ name: "center", nodes: 0, signal: options.signal }));
  const repository = undo.use(await openArgoRepository());
  await repository.commit({ files: { "shop/shop.yaml": shop(2), "shop-3/shop.yaml": shop(3) } });
  // Each names the other's address when it starts.
  const lease = undo.use(await reservePorts(2));
  const [listen = "", trees = ""] = lease.ports.map((port) => `127.0.0.1:${port}`);
  const applicationNamespaces = ["east", "west"];
  const argo = undo.use(
    await startArgoHub(center, { applicationNamespaces, applicationSets: true, serverArgs: ["--redis", trees] }),
  );
  const args = [
    "--listen",
    listen,
    "--public-url",
    `https://${listen}`,
    "--argo-kubeconfig",
    center.adminKubeconfig,
    "--argo-cluster-secrets",
    "--argo-redis-listen",
    trees,
    "--argo-redis-upstream",
    `redis://${argo.redis.address}`,
  ];
  const hub = undo.use(await startHub({ ...options, args }));
  const owned = undo.move();
  return { center, argo, repository, hub, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** Argo CD in the cluster, and an agent that exchanges its applications with the hub. */
export async function joinWithArgo(options: {
  readonly hub: TestHub;
  readonly made: TestCluster;
  readonly mode: "managed" | "autonomous";
  readonly stateDir: string;
  readonly undo: AsyncDisposableStack;
  readonly signal: AbortSignal;
}): Promise<JoinedCluster> {
  const { hub, made, mode, stateDir, undo, signal } = options;
  const { redis } = undo.use(await startArgoCluster(made));
  const kubeconfig = await createAgentKubeconfig(made);
  await applyObjects(made.api, rights);
  const joined = undo.use(
    await joinCluster({
      hub,
      name: made.name,
      kubeconfig,
      roles: ["proxy", "observe", "gitops"],
      stateDir,
      signal,
      agentArgs: ["--argo-redis-address", redis.address],
    }),
  );
  await hub.cli(["cluster", "set", made.name, "--gitops-mode", mode]);
  return joined;
}

/** For whoever types `argocd`; a file in the folder has it, too. */
export async function writeArgocdEnvironment(
  { server }: ArgoHub,
  folder: string,
): Promise<Readonly<Record<string, string>>> {
  const variables = {
    ARGOCD_SERVER: server.address,
    ARGOCD_AUTH_TOKEN: await server.signIn(),
    ARGOCD_OPTS: "--plaintext",
    ARGOCD_CONFIG_DIR: join(folder, "argocd"),
  };
  const lines = Object.entries(variables).map(([name, value]) => `export ${name}='${value}'\n`);
  await writeFile(join(folder, argocdEnvironmentFile), lines.join(""), { mode: 0o600 });
  return variables;
}

export const argocdEnvironmentFile = "argocd.env";

function shop(replicas: number): string {
  const labels = { app: "shop" };
  const spec = { containers: [{ name: "shop", image: "demo" }] };
  return JSON.stringify({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "shop" },
    spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  });
}

const rbac = "rbac.authorization.k8s.io";
const argoNamespace = "argocd";

/** As the agent's chart grants with `gitops.enabled` and `proxy.defaultGroups.argocd.enabled`. */
const rights = [
  {
    apiVersion: `${rbac}/v1`,
    kind: "Role",
    metadata: { name: "demo-gitops", namespace: argoNamespace },
    rules: ["argoproj.io/applications", "argoproj.io/appprojects", "/secrets", "/configmaps"].map((kind) => {
      const [group = "", resource = ""] = kind.split("/");
      const verbs = ["get", "list", "watch", "create", "update", "delete"];
      return { apiGroups: [group], resources: [resource], verbs };
    }),
  },
  {
    apiVersion: `${rbac}/v1`,
    kind: "RoleBinding",
    metadata: { name: "demo-gitops", namespace: argoNamespace },
    roleRef: { apiGroup: rbac, kind: "Role", name: "demo-gitops" },
    subjects: [{ apiGroup: rbac, kind: "Group", name: "system:serviceaccounts:fairlead" }],
  },
  {
    apiVersion: `${rbac}/v1`,
    kind: "ClusterRoleBinding",
    metadata: { name: "demo-argocd" },
    roleRef: { apiGroup: rbac, kind: "ClusterRole", name: "edit" },
    subjects: [{ apiGroup: rbac, kind: "Group", name: "fairlead:argocd" }],
  },
];
