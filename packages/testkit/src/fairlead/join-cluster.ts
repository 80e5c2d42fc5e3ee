// A cluster comes under a hub by a name, a one-time token, and an agent that dials out through a cable.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Cable, startCable } from "../cable/index.ts";
import { applyObjects, type ClusterAccess, createApiClient } from "../cluster/index.ts";
import { bindClusterRole, grantAgent, rbac } from "./grant-agent.ts";
import { startAgent, type TestAgent } from "./start-agent.ts";
import type { TestHub } from "./start-hub.ts";
import { openStateDir } from "./state-dir.ts";

export interface JoinedCluster extends AsyncDisposable {
  readonly name: string;
  /** Lies between the agent and the hub. */
  readonly cable: Cable;
  readonly agent: TestAgent;
  /** The cluster's API as the hub offers it. */
  readonly url: string;
}

export async function joinCluster(options: {
  readonly hub: TestHub;
  readonly name: string;
  readonly kubeconfig: string;
  /** The agent's roles; the hub's own choice unless named. */
  readonly roles?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  /** The folder for token, identity and log; a new one, removed at the end, unless named. */
  readonly stateDir?: string;
  /** The agent keeps its identity and its records in Secrets, and not in the folder. */
  readonly identitySecret?: string;
  readonly agentArgs?: readonly string[];
  readonly agentEnv?: Readonly<Record<string, string>>;
  /** A command that runs the agent, which follows as its arguments. */
  readonly agentLauncher?: readonly string[];
  /** True to run the agent from the last build and not from its sources. */
  readonly isAgentBuilt?: boolean;
  readonly signal?: AbortSignal;
}): Promise<JoinedCluster> {
  const { hub, name, kubeconfig, roles = [], labels, agentArgs = [], agentEnv = {}, signal } = options;
  const launcher = options.agentLauncher;
  await using undo = new AsyncDisposableStack();
  const stateDir = await openStateDir({ stateDir: options.stateDir, prefix: `fairlead-${name}-`, undo });
  const tokenFile = join(stateDir, "token");
  await writeFile(tokenFile, await addCluster(hub, { name, roles, labels }), { mode: 0o600 });
  const cable = undo.use(await startCable({ to: { host: "127.0.0.1", port: hub.agentPort } }));
  const hubUrl = `https://127.0.0.1:${cable.port}`;
  const args = [...(roles.length > 0 ? ["--roles", roles.join(",")] : []), ...agentArgs];
  const { identitySecret } = options;
  const common = { name, hubUrl, tokenFile, kubeconfig, stateDir, identitySecret, args, env: agentEnv, launcher };
  const isBuilt = options.isAgentBuilt;
  const agent = undo.use(await startAgent({ ...common, isBuilt, ...(signal && { signal }) }));
  const release = undo.move();
  return {
    name,
    cable,
    agent,
    url: `${hub.url}/k8s/clusters/${name}`,
    [Symbol.asyncDispose]: () => release.disposeAsync(),
  };
}

/** Resolves to the token, as `fairlead cluster add` would write it. */
async function addCluster(
  hub: TestHub,
  {
    name,
    roles,
    labels,
  }: { readonly name: string; readonly roles: readonly string[]; readonly labels: object | undefined },
): Promise<string> {
  using api = createApiClient({ url: hub.url, caPem: hub.caPem, token: hub.adminToken });
  const body = { name, labels, ...(roles.length > 0 && { roles }) };
  const added = await api.json<{ join: { token: string } }>({ method: "POST", path: "/api/v1/clusters", body });
  return `${added.join.token}\n`;
}

/**
 * A kubeconfig for an agent: a ServiceAccount with the rights that the chart gives to the roles proxy and observe, and a
 * Lease. Binds the groups that the hub's roles give as well, as a cluster whose people have widened them: operators edit
 * and admins do everything. Agents that share a cluster share these.
 */
export async function createAgentKubeconfig(
  cluster: ClusterAccess,
  namespace = "fairlead",
  options: {
    /** Kinds that it may read beside those that are observed anyway, as `--observe-include` takes them. */
    readonly include?: readonly string[];
    /** Groups that it may act for, beside those of the hub's own roles. */
    readonly groups?: readonly string[];
    /** Another address of the API server, such as a cable's. */
    readonly url?: string;
  } = {},
): Promise<string> {
  const { include = [], groups = [], url } = options;
  const name = "fairlead-agent";
  const account = { kind: "ServiceAccount", name, namespace };
  const objects = [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace } },
    ...(await grantAgent({ namespace, account, include, groups })),
    ...Object.entries(groupRoles).map(([group, role]) =>
      bindClusterRole(`fairlead-testkit-${group}`, role, { kind: "Group", apiGroup: rbac, name: `fairlead:${group}` }),
    ),
  ];
  // Two agents that are made at once apply the same bindings.
  await applyObjects(cluster.api, objects);
  return cluster.kubeconfigForServiceAccount({ namespace, name, ...(url !== undefined && { url }) });
}

const groupRoles = { viewers: "view", operators: "edit", admins: "cluster-admin" };
