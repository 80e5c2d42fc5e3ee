import type { GitopsKind, GitopsObject } from "@fairlead/protocol";
import type { HubObjectName } from "../types.ts";

export interface StoreLimits {
  /** For all kinds together in one namespace, and so for one cluster. */
  readonly maxObjects: number;
  readonly maxBytes: number;
  /** The most that an object of this kind takes as JSON. */
  maxObjectBytes(kind: GitopsKind): number;
}

export interface StoredObject extends HubObjectName {
  readonly uid: string;
  /** In the order of commits. */
  readonly revision: bigint;
  readonly object: GitopsObject;
}

/** The newest state of an object. Without an object: it is gone. */
export interface ObjectChange extends Omit<StoredObject, "object"> {
  readonly object: GitopsObject | undefined;
}
