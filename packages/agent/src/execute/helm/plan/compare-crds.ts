// What would come of a chart's CustomResourceDefinitions, which helm makes before all else when it installs a release
// first. It never changes or removes them later.
import { applyObject } from "@fairlead/kube";
import { isInterruption, read } from "../../manifests/attempt.ts";
import { inParallel, parallelRequests } from "../../manifests/in-parallel.ts";
import { listChanges } from "../../manifests/list-changes.ts";
import { onlyName } from "../../manifests/object-name.ts";
import { failed } from "../../manifests/outcome.ts";
import type { Outcome } from "../../manifests/types.ts";
import type { Begun } from "../begin.ts";
import { type MadeObject, ObjectFinder, readMadeObjects } from "../objects.ts";

export async function compareCrds(
  { task, helm }: Begun,
  { crds, isForced }: { readonly crds: readonly string[]; readonly isForced: boolean },
): Promise<readonly Outcome[]> {
  const { kube: client } = task;
  const finder = new ObjectFinder(task);
  const wanted = crds.flatMap((crd) => readMadeObjects(crd, { integers: "exact" }));
  const outcomes = new Map<MadeObject, Outcome>();
  await inParallel(wanted, parallelRequests, async (made) => {
    outcomes.set(made, await compareOne(made));
  });
  return wanted.map((made) => outcomes.get(made)).filter((outcome) => outcome !== undefined);

  async function compareOne(made: MadeObject): Promise<Outcome> {
    const place = await finder.place(made);
    if (place === undefined) return { ...onlyName(made), did: "created", message: "its kind doesn't exist yet" };
    const { resource, name } = place;
    try {
      const live = await finder.find(made);
      if (live === undefined) return { ...name, did: "created" };
      // Helm 3 leaves those alone that are there.
      if (helm.major === 3) return { ...name, did: "kept" };
      const how = { object: made.object, fieldManager: "helm", isForced, isDryRun: true };
      const after = await read(task, (signal) => applyObject({ client, resource, ...name, ...how, signal }));
      const changes = listChanges(live, after, task.secrets);
      return changes.length === 0 ? { ...name, did: "unchanged" } : { ...name, did: "changed", changes };
    } catch (error) {
      if (isInterruption(task, error)) throw error;
      return failed({ task, name, error });
    }
  }
}
