import type { ObjectRef } from "./cluster-object.ts";

/** A value that was seen in the cluster, beside the one that a check asks for. */
export interface Evidence {
  readonly object: ObjectRef;
  /** As kubectl explain writes it: `spec.template.spec.containers[0].args`. */
  readonly path: string;
  readonly observed: string;
  readonly expected: string;
}
