import type { GitopsKind, GitopsObject } from "@fairlead/protocol";
import type { HubObjectName } from "../types.ts";

export interface StoreLimits {
  /** Of all kinds in one namespace, and so of one cluster. */
  readonly maxObjects: number;
  readonly maxBytes: number;
  /** Of one object, as JSON. */
  maxObjectBytes(kind: GitopsKind): number;
}

export interface StoredObject extends HubObjectName {
  readonly uid: string;
  /** In the order of commits. */
  readonly revision: bigint;
  readonly object: GitopsObject;
}

/** What an object is now. Without an object: it is gone. */
export interface ObjectChange extends Omit<StoredObject, "object"> {
  readonly object: GitopsObject | undefined;
}
