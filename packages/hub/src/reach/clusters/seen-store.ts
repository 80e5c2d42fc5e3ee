// Stores what agents say of themselves when they come, and when they go. Thousands come back at once after a hub's restart,
// so one statement writes what is said at the same time.
import { createRounds } from "@fairlead/kernel";
import { type Kysely, sql } from "kysely";
import type { Tables } from "../../platform/store/index.ts";
import type { ClusterKey } from "./store.ts";
import type { AgentFacts, ClusterRow } from "./types.ts";

/** Undefined: as it was. */
export interface SeenAgent extends Omit<AgentFacts, "kubeSystemUid"> {
  readonly cluster: ClusterKey;
  readonly seenAt: Date;
  readonly lostAt?: Date | undefined;
}

export interface SeenStore {
  /** Other hubs aren't told at once, as nobody's rights depend on it. Undefined: the cluster isn't there any more. */
  put(seen: SeenAgent): Promise<ClusterRow | undefined>;
}

export function createSeenStore(db: Kysely<Tables>): SeenStore {
  return { put: createRounds({ most: mostAtOnce, run: putAll }) };

  async function putAll(
    all: readonly SeenAgent[],
  ): Promise<(ClusterRow | undefined | Promise<ClusterRow | undefined>)[]> {
    const together = new Map(all.map((seen) => [seen.cluster.name, seen]));
    const written = await write([...together.values()], { waits: false });
    return all.map((seen) => {
      const { name } = seen.cluster;
      const row = together.get(name) === seen ? written.get(name) : undefined;
      // Another agent of the cluster said something at the same time, or somebody holds the row.
      return row ?? write([seen], { waits: true }).then((alone) => alone.get(name));
    });
  }

  async function write(
    all: readonly SeenAgent[],
    { waits }: { readonly waits: boolean },
  ): Promise<Map<string, ClusterRow>> {
    const column = <T>(pick: (seen: SeenAgent) => T): T[] => all.map(pick);
    // Rows are locked in one order, since two hubs may do this at once.
    const { rows } = await sql<ClusterRow>`
      with said as materialized (
        select * from unnest(
          ${column(({ cluster }) => cluster.name)}::text[], ${column(({ cluster }) => cluster.incarnation)}::text[],
          ${column(({ seenAt }) => seenAt)}::timestamptz[], ${column(({ lostAt }) => lostAt ?? null)}::timestamptz[],
          ${column(({ agentVersion }) => agentVersion ?? null)}::text[],
          ${column(({ kubernetesVersion }) => kubernetesVersion ?? null)}::text[],
          ${column(({ clockSkewMs }) => (clockSkewMs === undefined ? null : Math.round(clockSkewMs)))}::bigint[]
        ) as said (name, incarnation, seen_at, lost_at, agent_version, kubernetes_version, clock_skew_ms)
      ),
      held as materialized (
        select cluster.name from cluster join said on said.name = cluster.name
        where cluster.incarnation::text = said.incarnation
        order by cluster.name for no key update of cluster ${waits ? sql`` : sql`skip locked`}
      )
      update cluster set
        last_seen_at = said.seen_at,
        last_lost_at = coalesce(said.lost_at, cluster.last_lost_at),
        agent_version = coalesce(said.agent_version, cluster.agent_version),
        kubernetes_version = coalesce(said.kubernetes_version, cluster.kubernetes_version),
        clock_skew_ms = coalesce(said.clock_skew_ms, cluster.clock_skew_ms),
        version = cluster.version + 1
      from said join held on held.name = said.name
      where cluster.name = said.name
      returning cluster.*
    `.execute(db);
    return new Map(rows.map((row) => [row.name, row]));
  }
}

const mostAtOnce = 200;
