// Which applications on the hub are one managed cluster's, and how they are followed: by its mapping.
import { type GitopsMapping, type GitopsObject, isIgnored } from "@fairlead/protocol";
import type { DestinedApplications } from "../../destinations/index.ts";
import { gitopsErrors } from "../../errors.ts";
import type { HubObjects, HubObjectsHandler } from "../../types.ts";

export interface ApplicationScope {
  isOwn(application: GitopsObject): boolean;
  /** Tells all there are, and each change, until the signal aborts. What isn't the cluster's any more may be told as changed. */
  follow(handler: HubObjectsHandler, signal: AbortSignal): Promise<void>;
  /** NAMESPACE/NAME on the hub of what the cluster calls so; empty: it can't be one. */
  nameOf(told: string): string;
}

/** Throws GITOPS_MAPPING_NEEDS_ARGO. */
export function openScope(options: {
  readonly cluster: string;
  readonly mapping: GitopsMapping;
  readonly objects: Pick<HubObjects, "watch">;
  readonly namespace: string;
  /** Undefined: the hub has no Argo CD. */
  readonly destined: DestinedApplications | undefined;
}): ApplicationScope {
  const { cluster, mapping, objects, namespace, destined } = options;
  switch (mapping) {
    case "namespace":
      return {
        isOwn: (application) => !isIgnored(application),
        follow: (handler, signal) =>
          objects.watch({ kind: "applications", namespace, labelSelector: "", handler, signal }),
        nameOf: (told) => readName(`${namespace}/${told.split("/").at(-1)}`),
      };
    case "destination":
      if (destined === undefined) throw gitopsErrors.GITOPS_MAPPING_NEEDS_ARGO();
      return {
        isOwn: (application) => destined.isOwn(application, cluster),
        follow: (handler, signal) => destined.follow(cluster, handler, signal),
        nameOf: readName,
      };
    default:
      return mapping satisfies never;
  }
}

/** It becomes part of a request's path. */
function readName(told: string): string {
  return /^[a-z0-9-]{1,63}\/[a-z0-9][a-z0-9.-]{0,252}$/.test(told) ? told : "";
}
