// The pods that an application's resources have made in a cluster, by what each says of its owners. Pure.
export interface ResourceName {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

export interface OwnedObject {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly ownerReferences?: readonly { readonly kind: string; readonly name: string; readonly uid: string }[];
  };
}

/** Between a resource and its pods: a Deployment has ReplicaSets, a CronJob has Jobs. */
export const intermediateKinds = [
  { kind: "ReplicaSet", root: "/apis/apps/v1", plural: "replicasets" },
  { kind: "Job", root: "/apis/batch/v1", plural: "jobs" },
] as const;

export function selectPods<Pod extends OwnedObject>(options: {
  readonly resources: readonly ResourceName[];
  readonly pods: readonly Pod[];
  /** The objects of `intermediateKinds`. */
  readonly between: readonly OwnedObject[];
}): Pod[] {
  const { resources, pods, between } = options;
  const wanted = new Set(resources.map(({ kind, namespace, name }) => `${kind}/${namespace}/${name}`));
  const byUid = new Map(between.map((object) => [object.metadata.uid, object]));
  return pods.filter((pod) => isWanted(pod) || ownersOf(pod).some((owner) => isWanted(owner) || hasWantedOwner(owner)));

  /** Goes up one step and no more, so that circles of owners end. */
  function hasWantedOwner({ metadata: { uid } }: Named): boolean {
    const object = byUid.get(uid);
    return object !== undefined && (isWanted(object) || ownersOf(object).some(isWanted));
  }

  function isWanted({ kind, metadata: { namespace, name } }: Named): boolean {
    return wanted.has(`${kind}/${namespace}/${name}`);
  }
}

/** Owners are in the namespace of what they own. */
function ownersOf({ metadata: { namespace, ownerReferences = [] } }: OwnedObject): Named[] {
  return ownerReferences.map(({ kind, name, uid }) => ({ kind, metadata: { namespace, name, uid } }));
}

type Named = Pick<OwnedObject, "kind"> & {
  readonly metadata: Pick<OwnedObject["metadata"], "namespace" | "name" | "uid">;
};
