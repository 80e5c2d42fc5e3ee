import type { Clock } from "@fairlead/kernel";
import { type Kysely, sql } from "kysely";
import type { Tables } from "../../platform/store/index.ts";
import type { ObservedFacts } from "./types.ts";

export interface FactsReader {
  read(clusters: readonly string[]): Promise<ReadonlyMap<string, ObservedFacts>>;
  /** An object of this kind was changed. */
  touch(cluster: string, kind: string): void;
  /** Nothing that was found out before counts any more. */
  forget(): void;
}

/** Adding up thousands of rows holds for as long as none of them changes, and for some seconds when they do. */
export function createFactsReader(options: { readonly db: Kysely<Tables>; readonly clock: Clock }): FactsReader {
  const { db, clock } = options;
  const touches = new Map<string, number>();
  const kept = new Map<string, { readonly facts: ObservedFacts; readonly atMs: number; readonly touches: number }>();
  return {
    async read(clusters) {
      const atMs = clock.now();
      const wanted = clusters.filter((cluster) => {
        const known = kept.get(cluster);
        return !known || (known.touches !== (touches.get(cluster) ?? 0) && atMs - known.atMs >= keptMs);
      });
      // Before the question: what is changed during it may not be in the answer.
      const before = new Map(wanted.map((cluster) => [cluster, touches.get(cluster) ?? 0]));
      const read = wanted.length > 0 ? await readFacts(db, wanted) : undefined;
      const answer = new Map<string, ObservedFacts>();
      for (const cluster of clusters) {
        const facts = before.has(cluster) ? read?.get(cluster) : kept.get(cluster)?.facts;
        if (!facts) continue;
        answer.set(cluster, facts);
        if (before.has(cluster)) kept.set(cluster, { facts, atMs, touches: before.get(cluster) ?? 0 });
      }
      return answer;
    },
    touch(cluster, kind) {
      if (kind === "pods" || kind === "nodes") touches.set(cluster, (touches.get(cluster) ?? 0) + 1);
    },
    forget: () => kept.clear(),
  };
}

async function readFacts(db: Kysely<Tables>, clusters: readonly string[]): Promise<ReadonlyMap<string, ObservedFacts>> {
  const nodes = await sql<NodeSums>`
    select cluster, count(*)::int as nodes, count(*) filter (where (usage->>'ready')::boolean)::int as ready,
      ${sumOf("capacity", "cpu")}, ${sumOf("capacity", "memory")}, ${sumOf("capacity", "pods")},
      ${sumOf("allocatable", "cpu")}, ${sumOf("allocatable", "memory")}, ${sumOf("allocatable", "pods")}
    from inventory_object
    where kind = 'nodes' and deleted_at is null and usage is not null and cluster = any(${clusters}::text[])
    group by cluster
  `.execute(db);
  const pods = await sql<PodSums>`
    select cluster, usage->>'phase' as phase, count(*)::int as pods,
      sum((usage->>'cpu')::float8) as cpu, sum((usage->>'memory')::float8) as memory
    from inventory_object
    where kind = 'pods' and deleted_at is null and usage is not null and cluster = any(${clusters}::text[])
    group by 1, 2
  `.execute(db);
  const podsOf = Map.groupBy(pods.rows, (row) => row.cluster);
  const nodesOf = new Map(nodes.rows.map((row) => [row.cluster, row]));
  const known = clusters.filter((cluster) => podsOf.has(cluster) || nodesOf.has(cluster));
  return new Map(known.map((cluster) => [cluster, toFacts(nodesOf.get(cluster), podsOf.get(cluster) ?? [])]));
}

function toFacts(nodes: NodeSums | undefined, pods: readonly PodSums[]): ObservedFacts {
  const holding = pods.filter(({ phase }) => phase !== "Succeeded" && phase !== "Failed");
  const total = (rows: readonly PodSums[], name: "pods" | "cpu" | "memory"): number =>
    rows.reduce((sum, row) => sum + row[name], 0);
  return {
    nodes: nodes?.nodes ?? 0,
    readyNodes: nodes?.ready ?? 0,
    pods: total(pods, "pods"),
    podPhases: Object.fromEntries(pods.map(({ phase, pods: count }) => [phase, count])),
    capacity: {
      cpuMillis: nodes?.capacity_cpu ?? 0,
      memoryBytes: nodes?.capacity_memory ?? 0,
      pods: nodes?.capacity_pods ?? 0,
    },
    allocatable: {
      cpuMillis: nodes?.allocatable_cpu ?? 0,
      memoryBytes: nodes?.allocatable_memory ?? 0,
      pods: nodes?.allocatable_pods ?? 0,
    },
    requests: {
      cpuMillis: total(holding, "cpu"),
      memoryBytes: total(holding, "memory"),
      pods: total(holding, "pods"),
    },
  };
}

function sumOf(group: string, name: string): ReturnType<typeof sql> {
  return sql`sum((usage->${sql.lit(group)}->>${sql.lit(name)})::float8) as ${sql.ref(`${group}_${name}`)}`;
}

interface NodeSums {
  readonly cluster: string;
  readonly nodes: number;
  readonly ready: number;
  readonly capacity_cpu: number;
  readonly capacity_memory: number;
  readonly capacity_pods: number;
  readonly allocatable_cpu: number;
  readonly allocatable_memory: number;
  readonly allocatable_pods: number;
}

interface PodSums {
  readonly cluster: string;
  readonly phase: string;
  readonly pods: number;
  readonly cpu: number;
  readonly memory: number;
}

const keptMs = 3_000;
