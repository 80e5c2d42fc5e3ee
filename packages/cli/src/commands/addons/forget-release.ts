import { deleteObject } from "@fairlead/kube";
import type { CommandContext } from "../../context.ts";
import type { ClusterAdoption } from "./adoption-plan.ts";
import { openClusterView } from "./cluster-view.ts";

/** Deletes Helm's record of a release, and none of its objects. */
export async function forgetRelease(context: CommandContext, { cluster, step }: ClusterAdoption): Promise<void> {
  const { signal, output } = context;
  const { namespace, release } = step.chart;
  await using view = await openClusterView(context, cluster);
  const resource = { group: "", version: "v1", resource: "secrets", kind: "Secret" };
  for (const { secret: name, uid } of await view.listRevisions({ namespace, release }))
    await deleteObject({ client: view.client, resource, namespace, name, uid, signal });
  output.remark(`Helm's record of the release ${output.safe(`${namespace}/${release}`)} is deleted.`);
}
