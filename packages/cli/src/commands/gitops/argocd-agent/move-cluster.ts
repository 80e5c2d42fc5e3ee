// A cluster goes from argocd-agent to Fairlead. The same command goes on from where it stopped, and `--back` undoes it from
// anywhere. Nothing is deleted, and at no time do both exchange the cluster's applications.
import { hideSecret, isPrincipalsCopy, noteAgent, toMirror } from "./marks.ts";
import type { ClusterMove } from "./plan-move.ts";
import { listCopies, patchObject, placeOf, type Sides, scaleAgent, toPlace, untilSo } from "./sides.ts";

export interface MovableCluster extends ClusterMove {
  readonly settings: NonNullable<ClusterMove["settings"]>;
  readonly agent: NonNullable<ClusterMove["agent"]>;
}

export function isMovable(cluster: ClusterMove): cluster is MovableCluster {
  return cluster.settings !== undefined && cluster.agent !== undefined;
}

export async function moveCluster(sides: Sides, { settings, agent, secret }: MovableCluster): Promise<void> {
  const { hub, cluster, context } = sides;
  const { output, signal } = context;
  const say = (text: string): void => output.remark(`${output.safe(cluster)}: ${output.safe(text)}`);
  const place = toPlace(secret);
  await patchObject(sides, "Secret", place, noteAgent(agent));
  say(`stops ${agent.namespace}/${agent.name}`);
  await scaleAgent(sides, agent, 0);
  say(`takes the Secret ${secret} from Argo CD's clusters; its content stays`);
  await patchObject(sides, "Secret", place, hideSecret);
  if (settings.mode === "autonomous") say(`takes over ${await takeCopies(sides, agent.namespace)} objects on the hub`);
  await hub.putGitopsSettings(cluster, settings, { signal });
  await untilSo(sides, "a hub exchanges its applications", async () => {
    const { servedBy, flows } = await hub.getGitopsStatus(cluster, { signal });
    return servedBy !== undefined && flows.length > 0 && flows.every(({ state }) => state === "open");
  });
  say(`is ${settings.mode} here now`);
}

/** The principal has forgotten the cluster, so it undoes none of that. */
async function takeCopies(sides: Sides, namespace: string): Promise<number> {
  const { cluster } = sides;
  const copies = (await listCopies(sides)).filter(isPrincipalsCopy);
  for (const copy of copies) {
    const patch = toMirror(copy, { cluster, namespace });
    if (patch !== undefined) await patchObject(sides, copy.kind, placeOf(copy), patch);
  }
  return copies.length;
}
