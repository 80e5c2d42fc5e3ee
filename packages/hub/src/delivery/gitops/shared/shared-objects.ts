import type { Clock } from "@fairlead/kernel";
import type { GitopsKind } from "@fairlead/protocol";
import type { HubObjects } from "../types.ts";
import { SharedKind } from "./shared-kind.ts";
import type { SharedLimits, SharedLog } from "./types.ts";

/** The objects in Argo CD's own namespace on the hub, which go to managed clusters from there. */
export interface SharedObjects {
  /** Undefined: such objects can't be kept on this hub. */
  kind(kind: SharedKindName): SharedKind | undefined;
}

export type SharedKindName = Exclude<GitopsKind, "applications">;

export function createSharedObjects(options: {
  readonly objects: Pick<HubObjects, "kinds" | "watch" | "get">;
  readonly namespace: string;
  readonly clock: Clock;
  readonly log: SharedLog;
}): SharedObjects {
  const { objects, namespace, clock, log } = options;
  const kinds = new Map<SharedKindName, SharedKind>();
  return {
    kind(kind) {
      const known = kinds.get(kind);
      if (known !== undefined || !objects.kinds.has(kind)) return known;
      const shared = new SharedKind({ objects, kind, namespace, limits, clock, log });
      kinds.set(kind, shared);
      return shared;
    },
  };
}

/** For each kind, and all clusters together. */
const limits: SharedLimits = { maxObjects: 5_000, maxBytes: 64 * 1024 * 1024 };
