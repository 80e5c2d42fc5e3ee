// Names that no new cluster gets: the hub's Argo CD, its namespaces and its accounts have them. Pure.
import { isReservedClusterName } from "@fairlead/kernel";
import { argoCaller } from "@fairlead/protocol";
import { clustersErrors } from "./errors.ts";

export interface ReservedNames {
  /** On the hub: its own, and that of its Argo CD. */
  readonly namespaces: readonly string[];
  readonly isRobot: (name: string) => boolean;
}

/** Throws CLUSTER_NAME_RESERVED. A cluster that is there already keeps its name. */
export function requireFreeName(name: string, reserved: ReservedNames): void {
  const why = whyReserved(name, reserved);
  if (why !== undefined) throw clustersErrors.CLUSTER_NAME_RESERVED({ name, why });
}

function whyReserved(name: string, { namespaces, isRobot }: ReservedNames): string | undefined {
  if (isReservedClusterName(name)) return "it has another meaning for Argo CD, Kubernetes or the hub";
  if (namespaces.includes(name)) return "a namespace of the hub or of its Argo CD has this name";
  if (name === argoCaller.robot || isRobot(name)) return "a robot of the hub has this name";
  return undefined;
}
