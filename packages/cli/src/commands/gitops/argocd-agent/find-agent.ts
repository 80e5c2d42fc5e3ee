// argocd-agent's agent in a cluster that has joined, looked for through the hub with a person's own rights there.
import type { GitopsMode, HubClient } from "@fairlead/contract";
import { FairleadError } from "@fairlead/kernel";
import type { Manifest, NotedAgent } from "./manifest.ts";
import { nameOfParameters, readParameters, runs } from "./parameters.ts";

/** In each cluster: how its agent runs, or why it can't be moved. */
export type AgentThere =
  | {
      readonly is: "found";
      readonly agent: NotedAgent;
      readonly mode: Exclude<GitopsMode, "off">;
      /** How the hub exchanges the cluster's applications now. */
      readonly here: GitopsMode;
    }
  | { readonly is: "missing"; readonly why: string };

export interface FindOptions {
  readonly hub: HubClient;
  /** Undefined: all are looked through. */
  readonly agentNamespace: string | undefined;
  readonly signal: AbortSignal;
}

export async function findAgent(cluster: string, options: FindOptions): Promise<AgentThere> {
  const { hub, signal } = options;
  try {
    const { links } = await hub.getCluster(cluster, { signal });
    const lacking = (["proxy", "gitops"] as const).filter((role) => !links.some(({ roles }) => roles.includes(role)));
    if (lacking.length > 0) return missing(`the hub has no link of it for ${lacking.join(" and ")}`);
    const { mode: here } = await hub.getGitopsStatus(cluster, { signal });
    const deployments = await listAgents(cluster, options);
    const [found, ...others] = deployments;
    if (found === undefined) return missing("no Deployment of argocd-agent's agent is in it that you can see");
    if (others.length > 0)
      return missing(
        `it has agents of argocd-agent in ${deployments.map(({ metadata }) => metadata.namespace).join(" and ")}: name one, --agent-namespace`,
      );
    return { is: "found", ...(await describe(cluster, found, options)), here };
  } catch (error) {
    if (error instanceof FairleadError && !signal.aborted) return missing(`${error.message} (${error.code})`);
    throw error;
  }
}

async function listAgents(cluster: string, { hub, agentNamespace, signal }: FindOptions): Promise<Manifest[]> {
  const at = agentNamespace === undefined ? "" : `/namespaces/${encodeURIComponent(agentNamespace)}`;
  const found: Manifest[] = [];
  let token = "";
  do {
    const query = new URLSearchParams({ limit: "500", ...(token !== "" && { continue: token }) });
    const page = (await hub.readFromCluster(cluster, `/apis/apps/v1${at}/deployments?${query}`, { signal })) as Page;
    found.push(...page.items.filter((deployment) => runs("agent", deployment)));
    token = page.metadata?.continue ?? "";
  } while (token !== "");
  return found;
}

async function describe(
  cluster: string,
  deployment: Manifest,
  { hub, signal }: FindOptions,
): Promise<{ readonly agent: NotedAgent; readonly mode: Exclude<GitopsMode, "off"> }> {
  const { name, namespace = "" } = deployment.metadata;
  const map = nameOfParameters(deployment);
  const path = `/api/v1/namespaces/${namespace}/configmaps/${map}`;
  const configMaps = map === undefined ? [] : [(await hub.readFromCluster(cluster, path, { signal })) as Manifest];
  const { "agent.mode": mode } = readParameters({ deployments: [deployment], configMaps });
  const { replicas = 1 } = (deployment.spec ?? {}) as { replicas?: number };
  // It is autonomous unless told.
  return { agent: { namespace, name, replicas }, mode: mode === "managed" ? "managed" : "autonomous" };
}

function missing(why: string): AgentThere {
  return { is: "missing", why };
}

interface Page {
  readonly items: readonly Manifest[];
  readonly metadata?: { readonly continue?: string };
}
