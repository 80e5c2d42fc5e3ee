// Two hubs with stock Argo CD beside them, whose CLI people use; Argo CD's controller in a managed cluster; an agent, and cables
// between all of them.
import {
  type ApplicationOptions,
  type ArgoHub,
  type ArgoRepository,
  applicationOf,
  type Cable,
  type ClusterAccess,
  type JoinedCluster,
  joinCluster,
  leaseCluster,
  openArgoRepository,
  reservePorts,
  startArgoCluster,
  startArgoHub,
  startCable,
  startHubs,
  type TestHub,
  type TestHubs,
  type TestRedis,
} from "@fairlead/testkit";
import { expect, vi } from "vitest";

export interface ManagedHarness extends AsyncDisposable {
  /** The hub's cluster, and the managed one. */
  readonly center: ClusterAccess;
  readonly east: ClusterAccess;
  readonly argoHub: ArgoHub;
  /** The first of the hubs: it owns the cluster's sync at first, and Argo CD reaches clusters through it. */
  readonly hub: TestHub;
  readonly hubs: TestHubs;
  /** From the agent to its API server. */
  readonly agentsCable: Cable;
  readonly joined: JoinedCluster;
  readonly clusterRedis: TestRedis;
  readonly repository: ArgoRepository;
  /** On the hub, in the cluster's namespace unless told. */
  create(options: Omit<ApplicationOptions, "repository" | "path"> & { readonly path?: string }): Promise<void>;
  /** What `argocd app list` shows on the hub. */
  shown(): Promise<Record<string, string>>;
  /** The same by the API server. */
  listed(): Promise<Record<string, string>>;
  /** Waits until these applications on the hub have these states. It reads no others, of which there are ever more. */
  untilStates(expected: Readonly<Record<string, unknown>>): Promise<void>;
  /** Gives what comes on the call that the UI keeps open for an application. Nothing does before something changes. */
  openTreeStream(application: string): AsyncDisposable & { next(): Promise<string> };
  /** Reads the ConfigMap that each application makes in the managed cluster. */
  readData(namespace: string): Promise<object | undefined>;
}

export interface SeenApplication {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly finalizers?: readonly string[];
    readonly ownerReferences?: readonly object[];
  };
  readonly spec?: { readonly source: object; readonly destination: object };
  readonly status?: {
    readonly sync?: { readonly status: string };
    readonly health?: { readonly status: string };
    readonly history?: readonly object[];
    readonly reconciledAt?: string;
  };
}

export async function openManagedHarness(): Promise<ManagedHarness> {
  await using undo = new AsyncDisposableStack();
  const [center, east] = await Promise.all([leaseCluster({ name: "center" }), leaseCluster({ name: "east" })]);
  undo.use(center);
  undo.use(east);
  const repository = undo.use(await openArgoRepository());
  await repository.commit({ files: { "web/web.yaml": configMap("one"), "run/run.yaml": deployment } });
  const { ports } = undo.use(await reservePorts(3));
  const endpoint = `127.0.0.1:${ports[0]}`;
  const serverArgs = ["--redis", endpoint];
  const argoHub = undo.use(
    await startArgoHub(center, { applicationNamespaces: ["east", "team"], applicationSets: true, serverArgs }),
  );
  const { redis: clusterRedis } = undo.use(await startArgoCluster(east, { applicationNamespaces: ["team"] }));
  const upstream = `redis://${argoHub.redis.address}`;
  const redisArgs = ["--argo-redis-listen", endpoint, "--argo-redis-upstream", upstream];
  const agentsCable = undo.use(await startCable({ to: { port: Number(new URL(east.url).port) } }));
  const hubs = undo.use(
    await startHubs({
      count: 2,
      args: [
        "--argo-kubeconfig",
        center.adminKubeconfig,
        "--argo-cluster-secrets",
        "--public-url",
        `https://127.0.0.1:${ports[1]}`,
        "--argo-application-namespaces",
        "team",
      ],
      ownArgs: (index) => ["--listen", `127.0.0.1:${ports[1 + index]}`, ...(index === 0 ? redisArgs : [])],
    }),
  );
  const [hub] = hubs.hubs;
  if (hub === undefined) throw new Error("no hub was started");
  hubs.agents.use([hub.agentPort]);
  const joined = undo.use(
    await joinCluster({
      hub: hubs.behind,
      name: "east",
      roles: ["proxy", "gitops"],
      labels: { env: "prod" },
      kubeconfig: await kubeconfigThrough(agentsCable, east),
      agentArgs: ["--argo-redis-address", clusterRedis.address, "--argo-application-namespaces", "team"],
    }),
  );
  // Tests delete one after the other, which isn't to be taken for a mass deletion.
  await hub.cli(["cluster", "set", "east", "--gitops-mode", "managed", "--gitops-guard-percent", "100"]);
  const owned = undo.move();
  return {
    center,
    east,
    argoHub,
    hub,
    hubs,
    agentsCable,
    joined,
    clusterRedis,
    repository,
    async create(options) {
      const body = applicationOf({ namespace: "east", repository, path: "web", ...options });
      await center.api.json({ method: "POST", path: placeOf(body.metadata.namespace), body });
    },
    shown: async () => statesOf(await argoHub.cli.json<SeenApplication[]>(["app", "list"])),
    async listed() {
      const path = "/apis/argoproj.io/v1alpha1/applications";
      return statesOf((await center.api.json<{ items: SeenApplication[] }>({ path })).items);
    },
    async untilStates(expected) {
      const readStates = async () => {
        const found = Object.keys(expected).map((application) => {
          const [namespace = "", name = ""] = application.split("/");
          return findApplication(center, namespace, name);
        });
        return statesOf((await Promise.all(found)).filter((one) => one !== undefined));
      };
      // Hooks wait for them, too, and there is no expect.poll in hooks.
      await vi.waitFor(async () => expect(await readStates()).toMatchObject(expected), patience);
    },
    openTreeStream: (application) => openTreeStream(argoHub, application),
    async readData(namespace) {
      const { status, text } = await east.api.send({ path: `/api/v1/namespaces/${namespace}/configmaps/web` });
      return status === 200 ? (JSON.parse(text) as { data: object }).data : undefined;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function kubeconfigThrough(cable: Cable, cluster: ClusterAccess): Promise<string> {
  const url = `https://127.0.0.1:${cable.port}`;
  return await cluster.kubeconfigForUser({ user: "test", groups: ["system:masters"], url });
}

function statesOf(applications: readonly SeenApplication[]): Record<string, string> {
  return Object.fromEntries(
    applications.map(({ metadata: { namespace, name }, status }) => [
      `${namespace}/${name}`,
      `${status?.sync?.status} ${status?.health?.status}`,
    ]),
  );
}

/** The path of the tree of NAMESPACE/NAME in Argo CD's API. */
export function treeOf(call: string, application: string): string {
  const [namespace, name] = application.split("/");
  return `/api/v1/${call}/${name}/resource-tree?appNamespace=${namespace}&project=default`;
}

function openTreeStream({ server }: ArgoHub, application: string): ReturnType<ManagedHarness["openTreeStream"]> {
  const leaving = new AbortController();
  const opening = open();
  opening.catch(() => undefined);
  return {
    next: async () => (await (await opening).next()).value ?? "",
    [Symbol.asyncDispose]: async () => leaving.abort(),
  };

  async function open(): Promise<AsyncIterator<string>> {
    const headers = { authorization: `Bearer ${await server.signIn()}` };
    const url = new URL(treeOf("stream/applications", application), server.url);
    const { body } = await fetch(url, { headers, signal: leaving.signal });
    if (!body) throw new Error("there is no answer");
    return body.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]();
  }
}

export function readApplication(cluster: ClusterAccess, namespace: string, name: string): Promise<SeenApplication> {
  return cluster.api.json<SeenApplication>({ path: placeOf(namespace, name) });
}

export async function findApplication(
  cluster: ClusterAccess,
  namespace: string,
  name: string,
): Promise<SeenApplication | undefined> {
  const { status, text } = await cluster.api.send({ path: placeOf(namespace, name) });
  return status === 200 ? (JSON.parse(text) as SeenApplication) : undefined;
}

export async function listApplications(cluster: ClusterAccess, namespace: string): Promise<readonly SeenApplication[]> {
  return (await cluster.api.json<{ items: SeenApplication[] }>({ path: placeOf(namespace) })).items;
}

export async function exists(cluster: ClusterAccess, namespace: string, name: string): Promise<boolean> {
  return (await findApplication(cluster, namespace, name)) !== undefined;
}

export async function patch(cluster: ClusterAccess, namespace: string, name: string, body: object): Promise<void> {
  const contentType = "application/merge-patch+json";
  await cluster.api.json({ method: "PATCH", path: placeOf(namespace, name), body, contentType });
}

export async function remove(cluster: ClusterAccess, namespace: string, name: string): Promise<void> {
  await cluster.api.json({ method: "DELETE", path: placeOf(namespace, name) });
}

function placeOf(namespace: string, name?: string): string {
  const collection = `/apis/argoproj.io/v1alpha1/namespaces/${namespace}/applications`;
  return name === undefined ? collection : `${collection}/${name}`;
}

function configMap(value: string): string {
  return JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "web" }, data: { value } });
}

const deployment = JSON.stringify({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "run" },
  spec: {
    replicas: 0,
    selector: { matchLabels: { app: "run" } },
    template: { metadata: { labels: { app: "run" } }, spec: { containers: [{ name: "run", image: "run" }] } },
  },
});

export const patience = { timeout: 60_000, interval: 250 };
