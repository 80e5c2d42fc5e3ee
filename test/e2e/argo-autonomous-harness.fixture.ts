// A hub with an Argo CD's kinds beside it, and an autonomous cluster with an agent. One API server has both sides: the
// cluster's Argo CD is meant to be in `edge-argo`, the hub's in `argocd`.
import {
  type ClusterAccess,
  type JoinedCluster,
  joinCluster,
  leaseCluster,
  prepareArgoCrds,
  startHub,
  type TestHub,
} from "@fairlead/testkit";

/** The namespace of the cluster's Argo CD. */
export const there = "edge-argo";

export interface AutonomousHarness extends AsyncDisposable {
  readonly cluster: ClusterAccess;
  readonly hub: TestHub;
  readonly joined: JoinedCluster;
  /** Makes an application, in the cluster unless told otherwise. */
  make(name: string, how?: { namespace?: string; metadata?: object; spec?: object }): Promise<void>;
  makeProject(name: string, spec: object): Promise<void>;
  /** An application as the hub shows it. */
  mirror(name: string): Promise<Seen | undefined>;
  /** On the hub. */
  project(name: string): Promise<Seen | undefined>;
  read(namespace: string, name: string): Promise<Seen | undefined>;
  patch(namespace: string, name: string, body: object): Promise<void>;
  patchProject(namespace: string, name: string, body: object): Promise<void>;
  remove(namespace: string, name: string): Promise<void>;
  removeProject(namespace: string, name: string): Promise<void>;
}

export interface Seen {
  readonly metadata: {
    readonly uid: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: { readonly destination: object };
}

/** `prepare` puts more beside the hub, and may resolve to more flags for it. */
export async function openAutonomousHarness(
  prepare: (cluster: ClusterAccess, undo: AsyncDisposableStack) => Promise<readonly string[]> = async () => [],
): Promise<AutonomousHarness> {
  await using undo = new AsyncDisposableStack();
  const cluster = undo.use(await leaseCluster({ name: "both", nodes: 0 }));
  const { api } = cluster;
  await prepareArgoCrds(cluster);
  for (const name of [there, "edge-team", "edge", "argocd"])
    await api.json({ method: "POST", path: "/api/v1/namespaces", body: { metadata: { name } } });
  const args = await prepare(cluster, undo);
  const hub = undo.use(await startHub({ args: ["--argo-kubeconfig", cluster.adminKubeconfig, ...args] }));
  const agentArgs = ["--argo-namespace", there, "--argo-application-namespaces", "edge-team"];
  const kubeconfig = cluster.adminKubeconfig;
  const joined = undo.use(await joinCluster({ hub, name: "edge", roles: ["gitops"], kubeconfig, agentArgs }));
  await hub.cli(["cluster", "set", "edge", "--gitops-mode", "autonomous"]);
  const opened = undo.move();
  return {
    cluster,
    hub,
    joined,
    read,
    make(name, { namespace = there, metadata = {}, spec = {} } = {}) {
      const whole = {
        project: "default",
        destination: { name: "in-cluster", namespace: name },
        source: { repoURL: "https://git.example/a", path: name },
        ...spec,
      };
      return create("Application", { metadata: { name, namespace, ...metadata }, spec: whole });
    },
    makeProject: (name, spec) => create("AppProject", { metadata: { name, namespace: there }, spec }),
    mirror: (name) => read("edge", name),
    project: (name) => get(place("appprojects", "argocd", name)),
    patch: (namespace, name, body) => merge(place("applications", namespace, name), body),
    patchProject: (namespace, name, body) => merge(place("appprojects", namespace, name), body),
    remove: (namespace, name) => remove(place("applications", namespace, name)),
    removeProject: (namespace, name) => remove(place("appprojects", namespace, name)),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };

  async function create(kind: string, object: { readonly metadata: Named; readonly spec: object }): Promise<void> {
    const body = { apiVersion: "argoproj.io/v1alpha1", kind, ...object };
    await api.json({ method: "POST", path: place(`${kind.toLowerCase()}s`, object.metadata.namespace), body });
  }

  function read(namespace: string, name: string): Promise<Seen | undefined> {
    return get(place("applications", namespace, name));
  }

  async function get(path: string): Promise<Seen | undefined> {
    const { status, text } = await api.send({ path });
    return status === 200 ? (JSON.parse(text) as Seen) : undefined;
  }

  async function merge(path: string, body: object): Promise<void> {
    await api.json({ method: "PATCH", path, body, contentType: "application/merge-patch+json" });
  }

  async function remove(path: string): Promise<void> {
    await api.json({ method: "DELETE", path });
  }
}

export function roleOf(name: string, action: string): object {
  return {
    name: "dev",
    policies: [policyOf(name, action, ""), `p, proj:${name}:dev, clusters, get, ${name}/*, allow`],
  };
}

export function policyOf(name: string, action: string, namespace: string): string {
  return `p, proj:${name}:dev, applications, ${action}, ${name}/${namespace}*, allow`;
}

function place(resource: string, namespace: string, name?: string): string {
  const collection = `/apis/argoproj.io/v1alpha1/namespaces/${namespace}/${resource}`;
  return name === undefined ? collection : `${collection}/${name}`;
}

interface Named {
  readonly name: string;
  readonly namespace: string;
}
