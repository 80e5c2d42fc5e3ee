// Says why no agent has taken a command yet.
import type { CommandWaiting } from "@fairlead/contract";
import type { Kysely } from "kysely";
import type { Principal } from "../../people/access/index.ts";
import type { Tables } from "../../platform/store/index.ts";
import type { Clusters } from "../../reach/clusters/index.ts";
import type { CommandRights } from "./rights.ts";
import { type CommandRow, commandColumns, toName } from "./rows.ts";

export type ExplainWaiting = (principal: Principal, row: CommandRow) => Promise<CommandWaiting | undefined>;

/** Undefined for a command that waits for no agent. */
export function createWaitingExplainer(options: {
  readonly queries: Kysely<Tables>;
  readonly rights: Pick<CommandRights, "may">;
  readonly clusters: Pick<Clusters, "get" | "links" | "exists">;
}): ExplainWaiting {
  const { queries, rights, clusters } = options;
  return async (principal, row) => {
    const state = toName(row.state);
    if ((state !== "queued" && state !== "approved") || !clusters.exists(row.cluster)) return undefined;
    const cluster = clusters.get(row.cluster);
    if (cluster.state !== "connected" && cluster.state !== "stale")
      return { for: "cluster", clusterState: cluster.state, since: cluster.stateSince };
    const isServed = clusters
      .links(row.cluster)
      .some(({ roles, refusal }) => refusal === undefined && roles.includes("execute"));
    if (!isServed) return { for: "agent" };
    const earlier = await findEarlier(row);
    if (earlier === undefined) return { for: "turn" };
    return { for: "target", ...(rights.may(principal, "get", earlier) && { command: earlier.id }) };
  };

  /** The one that ends next: commands of a target run one after another. */
  async function findEarlier({ cluster, target, number }: CommandRow): Promise<CommandRow | undefined> {
    return await queries
      .selectFrom("command")
      .select(commandColumns)
      .where("cluster", "=", cluster)
      .where("target", "=", target)
      .where("number", "<", number)
      .where("finished_at", "is", null)
      .orderBy("number")
      .limit(1)
      .executeTakeFirst();
  }
}
