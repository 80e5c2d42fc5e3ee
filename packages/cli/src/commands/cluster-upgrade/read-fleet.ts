// The chosen clusters as the hub sees them.
import type { Cluster, ClusterDetail, HubClient } from "@fairlead/contract";
import { matchesLabels, parseLabelSelector, Slots } from "@fairlead/kernel";
import { usage } from "../../errors.ts";
import type { Target } from "../runs/index.ts";
import type { SeenCluster } from "./plan.ts";

export async function readFleet(
  client: HubClient,
  { target, signal }: { readonly target: Target; readonly signal: AbortSignal },
): Promise<ClusterDetail[]> {
  const names = "clusters" in target ? target.clusters : await chooseNames(client, { target, signal });
  return await mapAFew(names, (name) => client.getCluster(name, { signal }));
}

/** In their order, eight at a time: a fleet has hundreds. */
export async function mapAFew<T, R>(items: readonly T[], map: (item: T) => Promise<R>): Promise<R[]> {
  const slots = new Slots(8);
  return await Promise.all(
    items.map(async (item) => {
      const leave = await slots.enter();
      try {
        return await map(item);
      } finally {
        leave();
      }
    }),
  );
}

async function chooseNames(
  client: HubClient,
  { target, signal }: { readonly target: Exclude<Target, { clusters: unknown }>; readonly signal: AbortSignal },
): Promise<string[]> {
  const { items } = await client.listClusters({ signal });
  return items.filter(toFilter(target)).map(({ name }) => name);
}

function toFilter(target: Exclude<Target, { clusters: unknown }>): (cluster: Cluster) => boolean {
  if ("all" in target) return () => true;
  const selector = parseLabelSelector(target.selector);
  if (selector === undefined) throw usage(`'${target.selector}' isn't a label selector.`, "Write it like env=prod.");
  return ({ labels }) => matchesLabels(selector, labels);
}

export function toSeen({ name, labels, state, links }: ClusterDetail): SeenCluster {
  const used = links.filter(({ refusal }) => refusal === undefined);
  const agents = used.map(({ roles, agentVersion = "unknown" }) => ({ roles, version: agentVersion }));
  return { name, labels, state, agents };
}
