// What each cluster's agents are told about Argo CD applications. The hub decides it: an agent that claims another mode is
// refused.
import type { GitopsSettings, PutGitopsSettingsRequest } from "@fairlead/contract";
import type { Clock } from "@fairlead/kernel";
import type { Access, Principal } from "../../../people/access/index.ts";
import type { GitopsSettingsTable } from "../../../platform/store/index.ts";
import type { Clusters } from "../../../reach/clusters/index.ts";
import { gitopsErrors } from "../errors.ts";
import type { GitopsSettingsStore } from "./store.ts";

export interface GitopsSettingsService {
  /** Throws ACCESS_DENIED, GITOPS_CLUSTER_NOT_FOUND. */
  get(principal: Principal, cluster: string): Promise<GitopsSettings>;
  /** Throws ACCESS_DENIED, GITOPS_CLUSTER_NOT_FOUND, GITOPS_NAMESPACE_RESERVED, GITOPS_MODE_UNSUPPORTED. */
  put(principal: Principal, cluster: string, wanted: PutGitopsSettingsRequest): Promise<GitopsSettings>;
}

export function createGitopsSettings(options: {
  readonly store: GitopsSettingsStore;
  readonly access: Pick<Access, "require">;
  readonly clusters: Pick<Clusters, "meet" | "exists">;
  /** Argo CD's own on the hub: no cluster's applications may be in it. */
  readonly argoNamespace: string;
  /** After each change. */
  readonly onChanged: (settings: GitopsSettings) => void;
  readonly clock: Clock;
}): GitopsSettingsService {
  const { store, access, clusters, argoNamespace, onChanged, clock } = options;
  return {
    async get(principal, cluster) {
      await meet(principal, { verb: "get", resource: "clusters", cluster });
      return toGitopsSettings(cluster, await store.find(cluster));
    },

    async put(principal, cluster, { mode, mapping = "namespace" }) {
      await meet(principal, { verb: "update", resource: "clusters/gitops", cluster });
      if (mode !== "off" && cluster === argoNamespace) throw gitopsErrors.GITOPS_NAMESPACE_RESERVED({ cluster });
      if (mapping === "destination") throw gitopsErrors.GITOPS_MODE_UNSUPPORTED({ what: "the mapping by destination" });
      const row = await store.put({ cluster, mode, mapping, by: principal.name, at: new Date(clock.now()) });
      if (!row) throw gitopsErrors.GITOPS_CLUSTER_NOT_FOUND();
      const settings = toGitopsSettings(cluster, row);
      onChanged(settings);
      return settings;
    },
  };

  async function meet(principal: Principal, request: ClusterRequest): Promise<void> {
    const { cluster } = request;
    access.require(principal, request);
    await clusters.meet(cluster);
    if (!clusters.exists(cluster)) throw gitopsErrors.GITOPS_CLUSTER_NOT_FOUND();
  }
}

export function toGitopsSettings(cluster: string, row: GitopsSettingsTable | undefined): GitopsSettings {
  if (!row) return { cluster, mode: "off", mapping: "namespace", generation: 0 };
  const { mode, mapping, generation, updated_at: updatedAt, updated_by: updatedBy } = row;
  return { cluster, mode, mapping, generation: Number(generation), updatedAt: updatedAt.toISOString(), updatedBy };
}

interface ClusterRequest {
  readonly verb: string;
  readonly resource: string;
  readonly cluster: string;
}
