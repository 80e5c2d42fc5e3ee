// Decides who sees a rollout, and which of its clusters: people who may see commands of its kind in one of them, and
// the person who asked for it by a template that he may use there.
import type { Kysely } from "kysely";
import type { Access, Principal } from "../../../people/access/index.ts";
import type { Tables } from "../../../platform/store/index.ts";
import type { Clusters } from "../../../reach/clusters/index.ts";
import type { TemplateUses } from "../../commands/index.ts";
import type { RolloutRow } from "./rows.ts";

export interface RolloutView {
  /** Those of the rows that the principal may see. */
  sift(principal: Principal, rows: readonly RolloutRow[]): Promise<RolloutRow[]>;
  /** Clusters in which the principal may see commands of the kind; undefined: all, also those that are no more. */
  clustersFor(principal: Principal, row: RolloutRow): readonly string[] | undefined;
}

export function createRolloutView(ports: {
  readonly db: Kysely<Tables>;
  readonly access: Pick<Access, "may">;
  readonly clusters: Pick<Clusters, "names">;
  readonly templates: Pick<TemplateUses, "mayUse">;
}): RolloutView {
  const { db, access, clusters, templates } = ports;
  return { sift, clustersFor };

  async function sift(principal: Principal, rows: readonly RolloutRow[]): Promise<RolloutRow[]> {
    const seen = new Set<string>();
    for (const alike of Map.groupBy(rows, (row) => `${row.kind} ${ownTemplate(principal, row) ?? ""}`).values()) {
      const [first] = alike;
      const names = first && clustersFor(principal, first);
      const ids = alike.map(({ id }) => id);
      const visible = names === undefined ? ids : await listWith(ids, names);
      for (const id of visible) seen.add(id);
    }
    return rows.filter(({ id }) => seen.has(id));
  }

  function clustersFor(principal: Principal, row: RolloutRow): readonly string[] | undefined {
    const request = { verb: "get", resource: `commands/${row.kind}` };
    if (access.may(principal, request)) return undefined;
    const template = ownTemplate(principal, row);
    const names = clusters.names().map(({ name }) => name);
    return names.filter(
      (cluster) =>
        access.may(principal, { ...request, cluster }) ||
        (template !== undefined && templates.mayUse(principal, template, cluster)),
    );
  }

  async function listWith(ids: readonly string[], names: readonly string[]): Promise<string[]> {
    if (names.length === 0) return [];
    const rows = await db
      .selectFrom("rollout_cluster")
      .select("rollout")
      .distinct()
      .where("rollout", "in", ids)
      .where((where) => where("cluster", "=", where.fn.any(where.val([...names]))))
      .execute();
    return rows.map(({ rollout }) => rollout);
  }
}

function ownTemplate({ uid }: Principal, row: RolloutRow): string | undefined {
  return row.requester_uid === uid ? (row.template ?? undefined) : undefined;
}
