import type { ApiResource } from "@fairlead/kube";
import type { Manifest, ObjectName, Outcome, WantedObject } from "../types.ts";

/** A manifest whose kind and place are known. */
export interface Target {
  readonly manifest: Manifest;
  readonly resource: ApiResource;
  readonly name: ObjectName;
  readonly key: string;
  /** The object as it is sent: references to secrets are resolved, and the set's mark is on it. */
  readonly object: WantedObject;
  /** The cluster gets the kind from this very set. */
  readonly isDefinedHere: boolean;
}

/** A manifest that can't be applied as it is. */
export interface Problem {
  readonly manifest: Manifest;
  readonly outcome: Outcome;
}
