// The settings for Argo CD applications that each cluster's agents are told. The hub decides them: an agent that claims
// another mode is refused.
import type { GitopsRules, GitopsSettings, PutGitopsSettingsRequest } from "@fairlead/contract";
import { type Clock, isReservedClusterName } from "@fairlead/kernel";
import type { Access, Principal } from "../../../people/access/index.ts";
import type { GitopsSettingsTable } from "../../../platform/store/index.ts";
import type { Clusters } from "../../../reach/clusters/index.ts";
import { gitopsErrors } from "../errors.ts";
import { mergeSettings, usualSettings } from "./merge.ts";
import type { GitopsSettingsStore } from "./store.ts";

export interface GitopsSettingsService {
  /** Throws ACCESS_DENIED, GITOPS_CLUSTER_NOT_FOUND. */
  get(principal: Principal, cluster: string): Promise<GitopsSettings>;
  /**
   * Throws ACCESS_DENIED, GITOPS_CLUSTER_NOT_FOUND, GITOPS_NAMESPACE_ARGO, GITOPS_NAME_RESERVED, GITOPS_MAPPING_NEEDS_ARGO,
   * GITOPS_REQUEST_INVALID, GITOPS_SETTINGS_CONFLICT.
   */
  put(principal: Principal, cluster: string, wanted: PutGitopsSettingsRequest): Promise<GitopsSettings>;
}

export function createGitopsSettings(options: {
  readonly store: GitopsSettingsStore;
  readonly access: Pick<Access, "require">;
  readonly clusters: Pick<Clusters, "meet" | "exists">;
  /** Argo CD's own on the hub: no cluster's applications may be in it. */
  readonly argoNamespace: string;
  /** Whether the hub has one. Without it each application is in its cluster's namespace. */
  readonly hasArgo: boolean;
  /** After each change. */
  readonly onChanged: (settings: GitopsSettings) => void;
  readonly clock: Clock;
}): GitopsSettingsService {
  const { store, access, clusters, argoNamespace, hasArgo, onChanged, clock } = options;
  return {
    async get(principal, cluster) {
      await meet(principal, { verb: "get", resource: "clusters", cluster });
      return toGitopsSettings(cluster, await store.find(cluster));
    },

    async put(principal, cluster, told) {
      await meet(principal, { verb: "update", resource: "clusters/gitops", cluster });
      for (let tries = 0; tries < maxTries; tries += 1) {
        const before = toGitopsSettings(cluster, await store.find(cluster));
        const wanted = mergeSettings(before, told);
        if (wanted.mode !== "off" && cluster === argoNamespace) throw gitopsErrors.GITOPS_NAMESPACE_ARGO({ cluster });
        if (wanted.mode === "autonomous" && isReservedClusterName(cluster))
          throw gitopsErrors.GITOPS_NAME_RESERVED({ cluster });
        if (wanted.mapping === "destination" && !hasArgo) throw gitopsErrors.GITOPS_MAPPING_NEEDS_ARGO();
        const { generation } = before;
        const row = await store.put({ ...wanted, cluster, generation, by: principal.name, at: new Date(clock.now()) });
        if (row === undefined && !clusters.exists(cluster)) throw gitopsErrors.GITOPS_CLUSTER_NOT_FOUND();
        if (row === undefined) continue;
        const settings = toGitopsSettings(cluster, row);
        onChanged(settings);
        return settings;
      }
      throw gitopsErrors.GITOPS_SETTINGS_CONFLICT({ cluster });
    },
  };

  async function meet(principal: Principal, request: ClusterRequest): Promise<void> {
    const { cluster } = request;
    access.require(principal, request);
    await clusters.meet(cluster);
    if (!clusters.exists(cluster)) throw gitopsErrors.GITOPS_CLUSTER_NOT_FOUND();
  }
}

/** As this hub has them: with all rules. */
export type HubSettings = GitopsSettings & { readonly rules: GitopsRules };

export function toGitopsSettings(cluster: string, row: GitopsSettingsTable | undefined): HubSettings {
  if (!row) return { cluster, ...usualSettings, generation: 0 };
  const { mode, mapping, generation, updated_at: updatedAt, updated_by: updatedBy } = row;
  const rules: GitopsRules = {
    onUidMismatch: row.on_uid_mismatch,
    adoption: row.adoption,
    onRecreate: row.on_recreate,
    createNamespaces: row.create_namespaces,
    guardPercent: row.guard_percent,
    guardMin: row.guard_min,
  };
  return {
    cluster,
    mode,
    mapping,
    rules,
    generation: Number(generation),
    updatedAt: updatedAt.toISOString(),
    updatedBy,
  };
}

interface ClusterRequest {
  readonly verb: string;
  readonly resource: string;
  readonly cluster: string;
}

/** Somebody else may have set some meanwhile. */
const maxTries = 5;
