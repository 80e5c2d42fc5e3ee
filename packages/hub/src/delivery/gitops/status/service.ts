// How the exchange of applications stands, as people ask for it, and what they let happen.
import type {
  ConfirmDeletionsRequest,
  ConfirmedDeletions,
  GitopsGuard,
  GitopsStatus,
  GitopsStatusList,
  GitopsStatusListQuery,
} from "@fairlead/contract";
import type { Clock } from "@fairlead/kernel";
import type { Access, Principal } from "../../../people/access/index.ts";
import type { Clusters } from "../../../reach/clusters/index.ts";
import { gitopsErrors } from "../errors.ts";
import { type GitopsSettingsStore, type HubSettings, toGitopsSettings } from "../settings/index.ts";
import type { GitopsStatusStore, StatusRow } from "./store.ts";

/** All throw ACCESS_DENIED; those about one cluster GITOPS_CLUSTER_NOT_FOUND as well. */
export interface GitopsStatuses {
  /** Lists all clusters that have settings and that the caller may see. */
  list(principal: Principal, query: GitopsStatusListQuery): Promise<GitopsStatusList>;
  get(principal: Principal, cluster: string): Promise<GitopsStatus>;
  /** Throws GITOPS_DELETIONS_NONE, GITOPS_DELETIONS_CHANGED. */
  confirm(principal: Principal, cluster: string, asked: ConfirmDeletionsRequest): Promise<ConfirmedDeletions>;
}

export function createGitopsStatuses(options: {
  readonly store: Pick<GitopsStatusStore, "list" | "confirm">;
  readonly settings: Pick<GitopsSettingsStore, "find" | "list">;
  readonly access: Pick<Access, "require" | "may">;
  readonly clusters: Pick<Clusters, "meet" | "exists">;
  readonly clock: Clock;
}): GitopsStatuses {
  const { store, settings, access, clusters, clock } = options;
  return {
    async list(principal, { limit = usualLimit, cursor = "" }) {
      const seen = (await settings.list()).filter(
        ({ cluster }) => cluster > cursor && access.may(principal, { verb: "get", resource, cluster }),
      );
      const page = seen.slice(0, limit);
      const rows = await store.list(page.map(({ cluster }) => cluster));
      const items = page.map((row) =>
        withoutObjects(toStatus(toGitopsSettings(row.cluster, row), rows.get(row.cluster))),
      );
      const last = page.at(-1)?.cluster;
      return seen.length > page.length && last !== undefined ? { items, next: last } : { items };
    },

    async get(principal, cluster) {
      await meet(principal, "get", cluster);
      const [row, statuses] = await Promise.all([settings.find(cluster), store.list([cluster])]);
      return toStatus(toGitopsSettings(cluster, row), statuses.get(cluster));
    },

    async confirm(principal, cluster, { count, digest }) {
      await meet(principal, "update", cluster);
      await store.confirm({ cluster, count, digest, by: principal.name, at: new Date(clock.now()) });
      return { cluster, count };
    },
  };

  async function meet(principal: Principal, verb: string, cluster: string): Promise<void> {
    access.require(principal, { verb, resource, cluster });
    await clusters.meet(cluster);
    if (!clusters.exists(cluster)) throw gitopsErrors.GITOPS_CLUSTER_NOT_FOUND();
  }
}

function toStatus({ cluster, mode, mapping }: HubSettings, row: StatusRow | undefined): GitopsStatus {
  const guard = row && toGuard(row);
  return {
    cluster,
    mode,
    mapping,
    flows: row?.flows ?? [],
    ...(row?.is_served && row.hub !== null ? { servedBy: row.hub } : {}),
    ...(row?.since ? { since: row.since.toISOString() } : {}),
    ...(row?.told_at ? { toldAt: row.told_at.toISOString() } : {}),
    ...(guard ? { guard } : {}),
  };
}

/** A page of them stays small, whatever clusters refuse. */
function withoutObjects({ flows, guard, ...status }: GitopsStatus): GitopsStatus {
  return {
    ...status,
    flows: flows.map((flow) => ({ ...flow, refused: [] })),
    ...(guard ? { guard: { ...guard, deletions: [] } } : {}),
  };
}

function toGuard({ held_count: count, digest, held_since: heldSince, held }: StatusRow): GitopsGuard | undefined {
  if (!count || !digest || heldSince === null) return undefined;
  return { count, digest, heldSince: heldSince.toISOString(), deletions: held ?? [] };
}

const resource = "clusters/gitops";
const usualLimit = 50;
