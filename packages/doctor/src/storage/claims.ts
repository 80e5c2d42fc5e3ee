import { Fields } from "@fairlead/kernel";
import { type ClusterObject, type ObjectRef, refTo, runningOf, type Snapshot } from "../snapshot/index.ts";
import { readLabelledPods } from "../workloads/index.ts";
import { readStorageClasses, storageClassResource } from "./storage-class.ts";

export interface UnboundClaim {
  readonly object: ObjectRef;
  readonly phase: string;
  readonly className: string | undefined;
}

const claimResource = "persistentvolumeclaims";

/**
 * Claims that have no volume and should have one. A claim whose class waits for the first consumer has none until a pod
 * uses it.
 * @throws {FairleadError} `DOCTOR_HIDDEN` when claims, classes or pods may be missing.
 */
export function findUnboundClaims(snapshot: Snapshot): UnboundClaim[] {
  const unbound = runningOf(
    claimResource,
    snapshot.list(claimResource).filter((claim) => phaseOf(claim) !== "Bound"),
  );
  if (unbound.length === 0) return [];
  snapshot.list(storageClassResource);
  const classes = readStorageClasses(snapshot);
  const waiting = new Set(
    classes.filter(({ bindingMode }) => bindingMode === "WaitForFirstConsumer").map(({ name }) => name),
  );
  snapshot.needAll("pods");
  const used = claimsOfPods(snapshot);
  return unbound
    .map((claim) => ({ object: refTo(claimResource, claim), phase: phaseOf(claim), className: classOf(claim) }))
    .filter(
      ({ object, phase, className = "" }) => phase === "Lost" || !waiting.has(className) || used.has(keyOf(object)),
    )
    .toSorted((a, b) => (keyOf(a.object) < keyOf(b.object) ? -1 : 1));
}

const phaseOf = (claim: ClusterObject): string => new Fields(claim).at("status", "phase").text() ?? "Pending";
const classOf = (claim: ClusterObject): string | undefined => new Fields(claim).at("spec", "storageClassName").text();
const keyOf = ({ namespace = "default", name }: ObjectRef): string => `${namespace}/${name}`;

function claimsOfPods(snapshot: Snapshot): Set<string> {
  return new Set(
    readLabelledPods(snapshot).flatMap(({ ref, claims }) => claims.map((name) => keyOf({ ...ref, name }))),
  );
}
