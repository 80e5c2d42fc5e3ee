// The steps of a move and its way back on both sides: they patch objects in the hub's cluster, and stop or start the
// agent in its own cluster, through the hub.
import type { HubClient } from "@fairlead/contract";
import { type KubeClient, resourcePath } from "@fairlead/kube";
import type { CommandContext } from "../../../context.ts";
import { cliErrors } from "../../../errors.ts";
import { pause } from "../../../files/index.ts";
import type { Manifest, NotedAgent } from "./manifest.ts";
import type { CopiedKind, Patch } from "./marks.ts";
import { type HubKind, listManifests, resources } from "./read-running.ts";

export interface Sides {
  /** The client of the hub's cluster. */
  readonly client: KubeClient;
  readonly hub: HubClient;
  readonly cluster: string;
  /** The principal's. */
  readonly namespace: string;
  readonly context: CommandContext;
}

interface Place {
  readonly namespace: string;
  readonly name: string;
}

export function placeOf({ metadata: { namespace = "", name } }: Manifest): Place {
  return { namespace, name };
}

/** Parses NAMESPACE/NAME. */
export function toPlace(text: string): Place {
  const [namespace = "", name = ""] = text.split("/");
  return { namespace, name };
}

/** An object of the hub's cluster. */
export async function patchObject(
  { client, context: { signal } }: Sides,
  kind: HubKind,
  { namespace, name }: Place,
  patch: Patch,
): Promise<void> {
  await client.request({
    method: "PATCH",
    path: resourcePath(resources[kind], { namespace, name }),
    body: patch,
    signal,
    headers: { "content-type": "application/merge-patch+json" },
  });
}

/** The hub's applications and projects of an autonomous cluster, each with its kind. */
export async function listCopies(sides: Sides): Promise<(Manifest & { readonly kind: CopiedKind })[]> {
  const { client, cluster, namespace, context } = sides;
  const list = async (kind: CopiedKind, at: string) =>
    (await listManifests({ client, kind, namespace: at, signal: context.signal })).map((one) => ({ ...one, kind }));
  const [applications, projects] = await Promise.all([list("Application", cluster), list("AppProject", namespace)]);
  return [...applications, ...projects.filter((project) => isProjectOf(cluster, project))];
}

/** `a-b-c` may be a project of the cluster `a`, and of `a-b`. */
function isProjectOf(cluster: string, { metadata: { name }, spec = {} }: Manifest): boolean {
  const { sourceNamespaces } = spec;
  return name.startsWith(`${cluster}-`) && Array.isArray(sourceNamespaces) && sourceNamespaces[0] === cluster;
}

/** Resolves when all pods that are too many are gone. */
export async function scaleAgent(sides: Sides, agent: NotedAgent, replicas: number): Promise<void> {
  const { hub, cluster, context } = sides;
  const { signal } = context;
  const path = `/apis/apps/v1/namespaces/${agent.namespace}/deployments/${agent.name}/scale`;
  const scale = (await hub.readFromCluster(cluster, path, { signal })) as Scale;
  if (scale.spec.replicas !== replicas)
    await hub.replaceInCluster(cluster, path, { ...scale, spec: { replicas } }, { signal });
  const query = new URLSearchParams({ labelSelector: scale.status.selector, limit: "500" });
  await untilSo(sides, `${agent.namespace}/${agent.name} has ${replicas} pods at most`, async () => {
    const pods = `/api/v1/namespaces/${agent.namespace}/pods?${query}`;
    return ((await hub.readFromCluster(cluster, pods, { signal })) as List).items.length <= replicas;
  });
}

interface Scale {
  readonly spec: { readonly replicas: number };
  readonly status: { readonly selector: string };
}

interface List {
  readonly items: readonly object[];
}

export async function untilSo(
  { cluster, context: { terminal, signal } }: Sides,
  what: string,
  isSo: () => Promise<boolean>,
): Promise<void> {
  const deadline = terminal.now() + patienceMs;
  while (!(await isSo())) {
    if (terminal.now() >= deadline) throw cliErrors.CLI_MOVE_WAITS({ cluster, what });
    await pause(250, signal);
  }
}

const patienceMs = 120_000;
