// Answers that are counted rather than listed, and what became different.
import { z } from "zod";
import { timestampSchema } from "../primitives.ts";
import { type DataAge, dataAgeSchema, type KindState, kindStateSchema } from "./age.ts";
import { type Health, healthSchema, type ObjectRef, objectRefSchema } from "./object.ts";

/** A kind that some cluster has, under the names that it goes by. */
export interface KindInfo {
  readonly kind: string;
  readonly apiVersion: string;
  readonly kindName: string;
  readonly namespaced: boolean;
  readonly shortNames: string[];
  readonly clusters: number;
  readonly objects: number;
}

export interface KindList {
  readonly items: KindInfo[];
}

export interface Rollup {
  readonly kind?: string | undefined;
  readonly cluster?: string | undefined;
  readonly namespace?: string | undefined;
  readonly objects: number;
  /** How many of each health; objects without one (a ConfigMap) are in none. */
  readonly health: Partial<Record<Health, number>>;
}

export interface RollupList {
  readonly items: Rollup[];
  readonly clusters: DataAge[];
}

export type ObjectChangeType = "created" | "updated" | "status" | "deleted";

/** The newest change of one object. */
export interface ObjectChange {
  readonly at: string;
  readonly change: ObjectChangeType;
  readonly object: ObjectRef;
  /** When what is wanted of it last changed. */
  readonly specChangedAt: string;
  readonly healthMessage?: string | undefined;
}

export interface ObjectChangeList {
  /** Newest first. */
  readonly items: ObjectChange[];
  readonly clusters: DataAge[];
  readonly next?: string | undefined;
}

/** The hub's copy of a kind of a cluster, in numbers. */
export interface KindInventory {
  readonly kind: string;
  readonly apiVersion: string;
  readonly kindName: string;
  readonly namespaced: boolean;
  readonly state: KindState;
  readonly since: string;
  readonly code?: string | undefined;
  readonly message?: string | undefined;
  readonly verifiedAt?: string | undefined;
  readonly ageMs?: number | undefined;
  /** Only for those who may list them all. */
  readonly objects?: number | undefined;
}

/** Sums over a cluster's nodes and pods. CPU in cores, memory in bytes. */
export interface ClusterCapacity {
  readonly nodes: number;
  readonly readyNodes: number;
  readonly pods: number;
  readonly runningPods: number;
  readonly podsAllocatable: number;
  readonly cpuCapacity: number;
  readonly cpuAllocatable: number;
  readonly cpuRequested: number;
  readonly memoryCapacity: number;
  readonly memoryAllocatable: number;
  readonly memoryRequested: number;
}

export interface ClusterInventory {
  readonly age: DataAge;
  /** UID of the namespace kube-system of the cluster that the copy is of. */
  readonly kubeSystemUid?: string | undefined;
  /** Another cluster answers under this name and waits to be confirmed. */
  readonly replacementUid?: string | undefined;
  /** Age of the oldest change that the agent knows of and the hub hasn't; 0 when there is none. */
  readonly lagMs?: number | undefined;
  readonly pendingChanges?: number | undefined;
  readonly capacity?: ClusterCapacity | undefined;
  readonly kinds: KindInventory[];
}

export interface ClusterInventoryList {
  readonly items: ClusterInventorySummary[];
}

/** A line of `fairlead top cluster`. */
export interface ClusterInventorySummary {
  readonly age: DataAge;
  readonly kubernetesVersion?: string | undefined;
  readonly capacity?: ClusterCapacity | undefined;
  /** Workloads by health. */
  readonly health: Partial<Record<Health, number>>;
}

export interface ConfirmClusterRequest {
  /** The UID of the cluster that this name means now. */
  readonly kubeSystemUid: string;
}

const healthCountsSchema: z.ZodType<Partial<Record<Health, number>>> = z.partialRecord(
  healthSchema as z.ZodEnum<{ [K in Health]: K }>,
  z.int(),
);

export const kindListSchema: z.ZodType<KindList> = z
  .object({
    items: z.array(
      z.object({
        kind: z.string(),
        apiVersion: z.string(),
        kindName: z.string(),
        namespaced: z.boolean(),
        shortNames: z.array(z.string()),
        clusters: z.int(),
        objects: z.int(),
      }),
    ),
  })
  .meta({ id: "KindList" });

export const rollupListSchema: z.ZodType<RollupList> = z
  .object({
    items: z.array(
      z.object({
        kind: z.string().optional(),
        cluster: z.string().optional(),
        namespace: z.string().optional(),
        objects: z.int(),
        health: healthCountsSchema,
      }),
    ),
    clusters: z.array(dataAgeSchema),
  })
  .meta({ id: "RollupList" });

export const objectChangeListSchema: z.ZodType<ObjectChangeList> = z
  .object({
    items: z.array(
      z.object({
        at: timestampSchema,
        change: z.enum(["created", "updated", "status", "deleted"]),
        object: objectRefSchema,
        specChangedAt: timestampSchema,
        healthMessage: z.string().optional(),
      }),
    ),
    clusters: z.array(dataAgeSchema),
    next: z.string().optional(),
  })
  .meta({ id: "ObjectChangeList" });

const capacitySchema: z.ZodType<ClusterCapacity> = z
  .object({
    nodes: z.int(),
    readyNodes: z.int(),
    pods: z.int(),
    runningPods: z.int(),
    podsAllocatable: z.number(),
    cpuCapacity: z.number(),
    cpuAllocatable: z.number(),
    cpuRequested: z.number(),
    memoryCapacity: z.number(),
    memoryAllocatable: z.number(),
    memoryRequested: z.number(),
  })
  .meta({ id: "ClusterCapacity" });

export const clusterInventorySchema: z.ZodType<ClusterInventory> = z
  .object({
    age: dataAgeSchema,
    kubeSystemUid: z.string().optional(),
    replacementUid: z.string().optional(),
    lagMs: z.number().optional(),
    pendingChanges: z.int().optional(),
    capacity: capacitySchema.optional(),
    kinds: z.array(
      z.object({
        kind: z.string(),
        apiVersion: z.string(),
        kindName: z.string(),
        namespaced: z.boolean(),
        state: kindStateSchema,
        since: timestampSchema,
        code: z.string().optional(),
        message: z.string().optional(),
        verifiedAt: timestampSchema.optional(),
        ageMs: z.number().optional(),
        objects: z.int().optional(),
      }),
    ),
  })
  .meta({ id: "ClusterInventory" });

export const clusterInventoryListSchema: z.ZodType<ClusterInventoryList> = z
  .object({
    items: z.array(
      z.object({
        age: dataAgeSchema,
        kubernetesVersion: z.string().optional(),
        capacity: capacitySchema.optional(),
        health: healthCountsSchema,
      }),
    ),
  })
  .meta({ id: "ClusterInventoryList" });

export const confirmClusterRequestSchema: z.ZodType<ConfirmClusterRequest> = z
  .strictObject({ kubeSystemUid: z.string().min(1).max(128) })
  .meta({ id: "ConfirmClusterRequest" });
