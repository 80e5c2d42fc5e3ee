// A cluster that was moved, or whose move stopped halfway, goes back to argocd-agent.
import { getMetadata } from "@fairlead/kube";
import { forgetAgent, isMirrorOf, showSecret, toCopy } from "./marks.ts";
import type { ClusterMove } from "./plan-move.ts";
import { resources } from "./read-running.ts";
import { listCopies, patchObject, placeOf, type Sides, scaleAgent, toPlace, untilSo } from "./sides.ts";

export interface NotedCluster extends ClusterMove {
  readonly agent: NonNullable<ClusterMove["agent"]>;
}

export function isNoted(cluster: ClusterMove): cluster is NotedCluster {
  return cluster.state !== "with-argocd-agent" && cluster.agent !== undefined;
}

export async function moveBack(sides: Sides, { agent, secret }: NotedCluster): Promise<void> {
  const { client, hub, cluster, namespace, context } = sides;
  const { output, signal } = context;
  const say = (text: string): void => output.remark(`${output.safe(cluster)}: ${output.safe(text)}`);
  await hub.putGitopsSettings(cluster, { mode: "off" }, { signal });
  await untilSo(sides, "no hub exchanges its applications", async () => {
    const { servedBy } = await hub.getGitopsStatus(cluster, { signal });
    return servedBy === undefined;
  });
  say("is off here");
  for (const mirror of (await listCopies(sides)).filter((one) => isMirrorOf(cluster, one)))
    await patchObject(sides, mirror.kind, placeOf(mirror), toCopy(mirror));
  const ours = { client, namespace, resource: resources.Secret, name: `fairlead-cluster-${cluster}`, signal };
  await untilSo(sides, "the hub's own Secret of it is gone", async () => (await getMetadata(ours)) === undefined);
  await patchObject(sides, "Secret", toPlace(secret), showSecret);
  say(`starts ${agent.namespace}/${agent.name}`);
  await scaleAgent(sides, agent, agent.replicas);
  await patchObject(sides, "Secret", toPlace(secret), forgetAgent);
}
