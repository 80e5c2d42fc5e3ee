// A hub, an agent and a real cluster, all processes of their own: tests that cross packages play on them.
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type ClusterAccess,
  type CommandOptions,
  type CommandResult,
  createAgentKubeconfig,
  createNamespace,
  type JoinedCluster,
  joinCluster,
  type StartHubOptions,
  sharedCluster,
  startHub,
  type TestHub,
  type TestNamespace,
} from "@fairlead/testkit";
import { writeKubeconfig } from "./write-kubeconfig.ts";

export interface Fleet extends AsyncDisposable {
  readonly hub: TestHub;
  readonly cluster: ClusterAccess;
  readonly joined: JoinedCluster;
  readonly namespace: TestNamespace;
  /** Through the hub; one context with the cluster's name. */
  readonly kubeconfig: string;
  /** The credentials of its agent in the cluster; good for further agents. */
  readonly agentKubeconfig: string;
  /** The agent's ServiceAccount is in it. */
  readonly agentNamespace: string;
  /** kubectl through the hub, in the fleet's namespace. Throws unless `allowFailure`. */
  kubectl(args: readonly string[], options?: CommandOptions): Promise<CommandResult>;
}

export async function startFleet(
  options: {
    readonly cluster?: ClusterAccess;
    readonly hub?: StartHubOptions;
    /** A hub that runs already, and outlives the fleet; instead of a new one. */
    readonly at?: TestHub;
    readonly roles?: readonly string[];
    readonly agentArgs?: readonly string[];
    /** Groups that its agent may act for, beside those of the hub's own roles. */
    readonly groups?: readonly string[];
    readonly agentEnv?: Readonly<Record<string, string>>;
    /** How kubectl signs in: by a token unless told, since each start of the CLI costs more than kubectl's own. */
    readonly credentials?: "cli";
  } = {},
): Promise<Fleet> {
  await using undo = new AsyncDisposableStack();
  const cluster = options.cluster ?? (await sharedCluster());
  const folder = await mkdtemp(join(tmpdir(), "fairlead-fleet-"));
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  const hub = options.at ?? undo.use(await startHub(options.hub));
  const namespace = undo.use(await createNamespace(cluster));
  const agentNamespace = `agent-${randomBytes(4).toString("hex")}`;
  undo.defer(
    async () => void (await cluster.api.send({ method: "DELETE", path: `/api/v1/namespaces/${agentNamespace}` })),
  );
  const agentKubeconfig = await createAgentKubeconfig(cluster, agentNamespace, { groups: options.groups ?? [] });
  const joined = undo.use(
    await joinCluster({
      hub,
      name: "east",
      kubeconfig: agentKubeconfig,
      ...(options.roles && { roles: options.roles }),
      agentArgs: options.agentArgs ?? [],
      agentEnv: options.agentEnv ?? {},
    }),
  );
  const kubeconfig = join(folder, "kubeconfig");
  const credentials = options.credentials ?? { token: hub.adminToken };
  await writeKubeconfig(kubeconfig, { hub, cluster: joined.name, credentials });
  const release = undo.move();
  return {
    hub,
    cluster,
    joined,
    namespace,
    kubeconfig,
    agentKubeconfig,
    agentNamespace,
    kubectl: (args, rest = {}) => cluster.kubectl(["--namespace", namespace.name, ...args], { kubeconfig, ...rest }),
    [Symbol.asyncDispose]: () => release.disposeAsync(),
  };
}
