// Decides who sees a rollout, and which of its clusters: people who may see commands of its kind in one of them, and
// the person who asked for it by a template that he may use there.
import { setImmediate } from "node:timers/promises";
import { type Kysely, sql } from "kysely";
import type { Access, Principal } from "../../../people/access/index.ts";
import type { Tables } from "../../../platform/store/index.ts";
import type { Clusters } from "../../../reach/clusters/index.ts";
import type { TemplateUses } from "../../commands/index.ts";
import type { RolloutRow } from "./rows.ts";

export interface RolloutView {
  /** Those of the rows that the principal may see. */
  sift(principal: Principal, rows: readonly RolloutRow[]): Promise<RolloutRow[]>;
  /** Clusters in which the principal may see commands of the kind; undefined: all, also those that are no more. */
  clustersFor(principal: Principal, row: RolloutRow): Promise<readonly string[] | undefined>;
}

export function createRolloutView(ports: {
  readonly db: Kysely<Tables>;
  readonly access: Pick<Access, "may">;
  readonly clusters: Pick<Clusters, "names">;
  readonly templates: Pick<TemplateUses, "mayUse">;
}): RolloutView {
  const { db, access, clusters, templates } = ports;
  return { sift, clustersFor };

  /** Kinds come first: what they show needs no look at templates, of which each row may have another one. */
  async function sift(principal: Principal, rows: readonly RolloutRow[]): Promise<RolloutRow[]> {
    const seen = new Set<string>();
    for (const [kind, alike] of Map.groupBy(rows, (row) => row.kind)) {
      const names = await namesByKind(principal, kind);
      const ids = alike.map(({ id }) => id);
      const visible = names === undefined ? ids : await listWith(ids, names);
      for (const id of visible) seen.add(id);
    }
    const left = rows.filter(({ id }) => !seen.has(id));
    const used = left.length === 0 ? undefined : await siftOwnUses(principal, left);
    return rows.filter(({ id }) => seen.has(id) || used?.has(id));
  }

  /** Most people still may use a template where they used it, so the first clusters of each rollout are looked at first. */
  async function siftOwnUses(principal: Principal, rows: readonly RolloutRow[]): Promise<Set<string>> {
    const byTemplate = Map.groupBy(rows, (row) => ownTemplate(principal, row));
    byTemplate.delete(undefined);
    const templateOf = new Map([...byTemplate].flatMap(([name, alike]) => alike.map(({ id }) => [id, name ?? ""])));
    const seen = new Set<string>();
    if (templateOf.size === 0) return seen;
    const known = new Set(clusters.names().map(({ name }) => name));
    for (const { rollout, cluster } of await listFirst([...templateOf.keys()])) {
      if (known.has(cluster) && templates.mayUse(principal, templateOf.get(rollout) ?? "", cluster)) seen.add(rollout);
    }
    for (const [template, alike] of byTemplate) {
      const ids = alike.flatMap(({ id }) => (seen.has(id) ? [] : [id]));
      if (template === undefined || ids.length === 0) continue;
      const names = await listNames((cluster) => templates.mayUse(principal, template, cluster));
      for (const id of await listWith(ids, names)) seen.add(id);
    }
    return seen;
  }

  async function clustersFor(principal: Principal, row: RolloutRow): Promise<readonly string[] | undefined> {
    const names = await namesByKind(principal, row.kind);
    const template = ownTemplate(principal, row);
    if (names === undefined || template === undefined) return names;
    const byKind = new Set(names);
    return await listNames((cluster) => byKind.has(cluster) || templates.mayUse(principal, template, cluster));
  }

  async function namesByKind(principal: Principal, kind: string): Promise<readonly string[] | undefined> {
    const request = { verb: "get", resource: `commands/${kind}` };
    if (access.may(principal, request)) return undefined;
    return await listNames((cluster) => access.may(principal, { ...request, cluster }));
  }

  async function listNames(isSeen: (cluster: string) => boolean): Promise<string[]> {
    const names: string[] = [];
    for (const [index, { name }] of clusters.names().entries()) {
      // Others have their turns in between.
      if (index % turnSize === turnSize - 1) await setImmediate();
      if (isSeen(name)) names.push(name);
    }
    return names;
  }

  async function listFirst(ids: readonly string[]): Promise<{ rollout: string; cluster: string }[]> {
    const { rows } = await sql<{ rollout: string; cluster: string }>`
      select first.rollout, first.cluster from unnest(${ids}::text[]) as wanted (id) cross join lateral (
        select rollout, cluster from rollout_cluster where rollout = wanted.id order by place limit ${lookedAtFirst}
      ) as first
    `.execute(db);
    return rows;
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

const turnSize = 1_000;
const lookedAtFirst = 32;
