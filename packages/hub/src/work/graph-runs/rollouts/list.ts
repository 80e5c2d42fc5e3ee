import type {
  RolloutClusterList,
  RolloutClusterState,
  RolloutClustersQuery,
  RolloutList,
  RolloutListQuery,
  RolloutStateName,
} from "@fairlead/contract";
import type { Kysely } from "kysely";
import type { Principal } from "../../../people/access/index.ts";
import type { Tables } from "../../../platform/store/index.ts";
import { type RolloutRow, rolloutColumns, toRollout, toRolloutCluster } from "./rows.ts";
import type { RolloutView } from "./view.ts";

/** A page, newest first. It ends early when much of what was looked at isn't for the caller: `next` goes on. */
export async function listRollouts(
  db: Kysely<Tables>,
  asking: { readonly principal: Principal; readonly view: RolloutView; readonly query: RolloutListQuery },
): Promise<RolloutList> {
  const { principal, view, query } = asking;
  const { limit = 50, state } = query;
  const found: RolloutRow[] = [];
  let before = query.cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(query.cursor);
  for (let round = 0; round < mostRounds; round++) {
    let rows = db
      .selectFrom("rollout")
      .select(rolloutColumns)
      .where("number", "<", before)
      .orderBy("number", "desc")
      .limit(limit + 1);
    if (state !== undefined) rows = rows.where("state", "in", state.split(",") as RolloutStateName[]);
    const looked = await rows.execute();
    for (const row of await view.sift(principal, looked)) {
      if (found.length === limit) return { items: found.map(toRollout), next: String(found.at(-1)?.number) };
      found.push(row);
    }
    if (looked.length <= limit) return { items: found.map(toRollout) };
    before = looked.at(-1)?.number ?? 0;
  }
  return { items: found.map(toRollout), next: String(before) };
}

/** In the order of their turns. `names`: of these clusters alone. */
export async function listRolloutClusters(
  db: Kysely<Tables>,
  asking: {
    readonly row: RolloutRow;
    readonly names: readonly string[] | undefined;
    readonly query: RolloutClustersQuery;
  },
): Promise<RolloutClusterList> {
  const { row, names, query } = asking;
  const { limit = 200, state, since, cursor } = query;
  let rows = db
    .selectFrom("rollout_cluster")
    .selectAll()
    .where("rollout", "=", row.id)
    .where("place", ">", Number(cursor ?? 0))
    .orderBy("place")
    .limit(limit + 1);
  if (state !== undefined) rows = rows.where("state", "in", state.split(",") as RolloutClusterState[]);
  if (since !== undefined) rows = rows.where("version", ">", since);
  if (names !== undefined) rows = rows.where((where) => where("cluster", "=", where.fn.any(where.val([...names]))));
  const found = await rows.execute();
  const items = found.slice(0, limit);
  return {
    items: items.map(toRolloutCluster),
    ...(found.length > limit ? { next: String(items.at(-1)?.place) } : {}),
    version: row.version,
  };
}

const mostRounds = 4;
