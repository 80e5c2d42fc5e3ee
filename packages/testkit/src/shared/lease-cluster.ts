// A cluster that a test file has for itself. The runner's main process starts it, or takes one that another file has
// given back, and puts it back to its first state afterwards.
import { type ClusterAccess, type Component, type ComponentName, openCluster, prepareNodes } from "../cluster/index.ts";
import { askBroker } from "./ask-broker.ts";

export interface LeaseOptions {
  /** A DNS label; also the name of the kubeconfigs' context. */
  readonly name?: string;
  readonly nodes?: number;
  readonly signal?: AbortSignal;
}

/** A component that the test stopped or paused starts again when the cluster is given back. */
export interface LeasedComponent extends Pick<Component, "name" | "start" | "stop"> {
  pause(): Promise<void>;
  resume(): Promise<void>;
}

export interface LeasedCluster extends ClusterAccess, AsyncDisposable {
  readonly apiServer: LeasedComponent;
  readonly components: Readonly<Record<ComponentName, LeasedComponent>>;
}

/** For a file that needs a whole cluster, but no flags of its own and no other etcd. Disposal gives it back. */
export async function leaseCluster({ name = "test", nodes = 1, signal }: LeaseOptions = {}): Promise<LeasedCluster> {
  await using undo = new AsyncDisposableStack();
  const { stateDir } = undo.use(await askBroker("/lease", { name }));
  const access = await openCluster(stateDir);
  undo.use(access.api);
  await prepareNodes({ api: access.api, clusterName: name, count: nodes, signal });
  const ask = async (what: string, component: ComponentName, graceMs = 0) => {
    using _ = await askBroker(what, { stateDir, component, graceMs: String(graceMs) });
  };
  const component = (one: ComponentName): LeasedComponent => ({
    name: one,
    start: () => ask("/start", one),
    stop: ({ graceMs = 5000 } = {}) => ask("/stop", one, graceMs),
    pause: () => ask("/pause", one),
    resume: () => ask("/resume", one),
  });
  const release = undo.move();
  return {
    ...access,
    apiServer: component("kube-apiserver"),
    components: {
      etcd: component("etcd"),
      podserver: component("podserver"),
      "kube-apiserver": component("kube-apiserver"),
      "kube-controller-manager": component("kube-controller-manager"),
      "kube-scheduler": component("kube-scheduler"),
      kwok: component("kwok"),
    },
    [Symbol.asyncDispose]: () => release.disposeAsync(),
  };
}
