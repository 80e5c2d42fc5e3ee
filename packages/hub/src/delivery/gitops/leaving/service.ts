// Applications of a cluster that is to be removed or revoked. Their deletion waits for the cluster, which may never say that
// they are gone.
import type { LeavingApplications } from "@fairlead/contract";
import type { Clock } from "@fairlead/kernel";
import type { GitopsObject } from "@fairlead/protocol";
import type { Access, Principal } from "../../../people/access/index.ts";
import type { Clusters } from "../../../reach/clusters/index.ts";
import { listOnce } from "../applications/index.ts";
import { type NamespaceRules, ownerOf } from "../destinations/index.ts";
import { gitopsErrors } from "../errors.ts";
import type { GitopsSettingsStore } from "../settings/index.ts";
import type { HubObjects } from "../types.ts";
import type { LeavingStore } from "./store.ts";

/** Both throw ACCESS_DENIED, GITOPS_CLUSTER_NOT_FOUND, GITOPS_OBJECTS_UNAVAILABLE. */
export interface LeavingService {
  count(principal: Principal, cluster: string): Promise<LeavingApplications>;
  /** From the cluster's removal or revocation on they are deleted on the hub alone. */
  letGo(principal: Principal, cluster: string): Promise<LeavingApplications>;
}

export function createLeaving(options: {
  readonly objects: HubObjects;
  readonly settings: Pick<GitopsSettingsStore, "find" | "list">;
  readonly store: Pick<LeavingStore, "put">;
  readonly access: Pick<Access, "require">;
  readonly clusters: Pick<Clusters, "meet" | "exists">;
  readonly rules: NamespaceRules;
  readonly clock: Clock;
}): LeavingService {
  const { objects, settings, store, access, clusters, rules, clock } = options;
  return {
    count: async (principal, cluster) => toAnswer(cluster, await find(principal, "get", cluster)),

    async letGo(principal, cluster) {
      const found = await find(principal, "update", cluster);
      const named = found.map(({ metadata: { uid = "", namespace, name } }) => ({ uid, namespace, name }));
      await store.put(cluster, named, new Date(clock.now()));
      return toAnswer(cluster, found);
    },
  };

  async function find(principal: Principal, verb: string, cluster: string): Promise<readonly GitopsObject[]> {
    access.require(principal, { verb, resource, cluster });
    await clusters.meet(cluster);
    if (!clusters.exists(cluster)) throw gitopsErrors.GITOPS_CLUSTER_NOT_FOUND();
    const row = await settings.find(cluster);
    // Those in its namespace are the hub's own.
    if (row === undefined || row.mode === "off") return [];
    if (row.mapping === "namespace") return await listOnce(objects, { kind, namespace: cluster, labelSelector: "" });
    const exchanging = new Set(
      (await settings.list()).flatMap(({ cluster: name, mode }) => (mode === "off" ? [] : name)),
    );
    const all = await listOnce(objects, { kind, namespace: undefined, labelSelector: "" });
    return all.filter((object) => ownerOf(object, rules, (name) => exchanging.has(name)) === cluster);
  }
}

function toAnswer(cluster: string, found: readonly GitopsObject[]): LeavingApplications {
  const deleting = found.filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
  return { cluster, applications: found.length, deleting: deleting.length };
}

const kind = "applications";
const resource = "clusters/gitops";
