// Answers that are counted rather than listed, and what became different.
import { z } from "zod";
import type { Infer } from "../infer.ts";
import { timestampSchema } from "../primitives.ts";
import { dataAgeSchema, kindStateSchema, kindStateText } from "./age.ts";
import { healthSchema, objectRefSchema } from "./object.ts";

const kind = z.string().describe("Kind as plural and API group, such as `pods` or `deployments.apps`");
const apiVersion = z.string().describe("API group and version, such as `v1` or `apps/v1`");
const kindName = z.string().describe("Kind as manifests spell it, such as `Pod`");
const namespaced = z.boolean().describe("Whether objects of the kind have a namespace");
const ages = z.array(dataAgeSchema).describe("Age of the data of each cluster that the request covers");
const healthCounts = z.partialRecord(healthSchema, z.int());

const kindInfoSchema = z.object({
  kind,
  apiVersion,
  kindName,
  namespaced,
  shortNames: z.array(z.string()).describe("Short names for kubectl, such as `po`"),
  clusters: z.int().describe("Number of clusters that have the kind"),
  objects: z.int().describe("Number of its objects over all clusters"),
});
export type KindInfo = Infer<typeof kindInfoSchema>;

export const kindListSchema = z
  .object({ items: z.array(kindInfoSchema).describe("Kinds that at least one cluster has") })
  .meta({ id: "KindList", description: "The kinds of objects that clusters have" });
export type KindList = Infer<typeof kindListSchema>;

const rollupSchema = z.object({
  kind: z.string().optional().describe("Kind of the counted objects; absent unless counted by kind"),
  cluster: z.string().optional().describe("Cluster of the counted objects; absent unless counted by cluster"),
  namespace: z
    .string()
    .optional()
    .describe("Namespace of the counted objects; absent unless counted by namespace, and for objects without one"),
  objects: z.int().describe("Number of objects"),
  health: healthCounts.describe("Number of objects by health; objects without one, such as ConfigMaps, count in none"),
});
export type Rollup = Infer<typeof rollupSchema>;

export const rollupListSchema = z
  .object({ items: z.array(rollupSchema).describe("Counts, one for each group of objects"), clusters: ages })
  .meta({ id: "RollupList", description: "Numbers of objects by kind, cluster or namespace" });
export type RollupList = Infer<typeof rollupListSchema>;

const objectChangeSchema = z.object({
  at: timestampSchema.describe("RFC 3339 time at which the hub received the change"),
  change: z.enum(["created", "updated", "status", "deleted"]).describe("What changed; `status`: the status alone"),
  object: objectRefSchema.describe("The changed object"),
  specChangedAt: timestampSchema.describe("RFC 3339 time at which the object's desired state last changed"),
  healthMessage: z.string().optional().describe("Why the object has its health; absent where there is no reason"),
});
export type ObjectChange = Infer<typeof objectChangeSchema>;
export type ObjectChangeType = ObjectChange["change"];

export const objectChangeListSchema = z
  .object({
    items: z.array(objectChangeSchema).describe("The newest change of each object, newest first"),
    clusters: ages,
    next: z.string().optional().describe("Cursor of the next page; absent on the last page"),
  })
  .meta({ id: "ObjectChangeList", description: "A page of changes of objects" });
export type ObjectChangeList = Infer<typeof objectChangeListSchema>;

const capacitySchema = z
  .object({
    nodes: z.int().describe("Number of nodes"),
    readyNodes: z.int().describe("Number of nodes that are ready"),
    pods: z.int().describe("Number of pods"),
    runningPods: z.int().describe("Number of pods that are running"),
    podsAllocatable: z.number().describe("Number of pods that the nodes can run"),
    cpuCapacity: z.number().describe("CPU of the nodes, in cores"),
    cpuAllocatable: z.number().describe("CPU that pods can use, in cores"),
    cpuRequested: z.number().describe("CPU that pods request, in cores"),
    memoryCapacity: z.number().describe("Memory of the nodes, in bytes"),
    memoryAllocatable: z.number().describe("Memory that pods can use, in bytes"),
    memoryRequested: z.number().describe("Memory that pods request, in bytes"),
  })
  .meta({ id: "ClusterCapacity", description: "Sums over a cluster's nodes and pods" });
export type ClusterCapacity = Infer<typeof capacitySchema>;

const capacity = capacitySchema
  .optional()
  .describe("Sums over nodes and pods; absent where the hub has no copy of both that the caller may see");

const kindInventorySchema = z.object({
  kind,
  apiVersion,
  kindName,
  namespaced,
  state: kindStateSchema.describe(kindStateText),
  since: timestampSchema.describe("RFC 3339 time at which the kind entered this state"),
  code: z.string().optional().describe("Stable code that docs/errors.md explains; absent where nothing failed"),
  message: z.string().optional().describe("Why the kind isn't in sync, for people; absent where nothing failed"),
  verifiedAt: timestampSchema
    .optional()
    .describe("RFC 3339 time at which the copy was last known to match the cluster; absent where it never was"),
  ageMs: z
    .number()
    .optional()
    .describe("Milliseconds from `verifiedAt` to the answer; absent where the copy never matched"),
  objects: z.int().optional().describe("Number of objects in the copy; only for callers who may list them all"),
});
export type KindInventory = Infer<typeof kindInventorySchema>;

export const clusterInventorySchema = z
  .object({
    age: dataAgeSchema.describe("Age of the cluster's data"),
    kubeSystemUid: z
      .string()
      .optional()
      .describe(
        "UID of the namespace `kube-system` of the cluster that the copy is of; absent before the first report",
      ),
    replacementUid: z
      .string()
      .optional()
      .describe(
        "UID of a different cluster that reports under this name and waits for confirmation; absent: none does",
      ),
    lagMs: z
      .number()
      .optional()
      .describe(
        "Age in milliseconds of the oldest change that the agent hasn't sent to the hub; 0 where there is none",
      ),
    pendingChanges: z.int().optional().describe("Number of changes that the agent hasn't sent to the hub"),
    capacity,
    kinds: z.array(kindInventorySchema).describe("State of the copy of each kind"),
  })
  .meta({ id: "ClusterInventory", description: "The hub's copy of a cluster's objects, in numbers" });
export type ClusterInventory = Infer<typeof clusterInventorySchema>;

const inventorySummarySchema = z.object({
  age: dataAgeSchema.describe("Age of the cluster's data"),
  kubernetesVersion: z
    .string()
    .optional()
    .describe("Version of the cluster's API server, such as `v1.34.5`; absent until an agent reports it"),
  capacity,
  health: healthCounts.describe("Number of workloads by health"),
});
export type ClusterInventorySummary = Infer<typeof inventorySummarySchema>;

export const clusterInventoryListSchema = z
  .object({ items: z.array(inventorySummarySchema).describe("Clusters, by name") })
  .meta({ id: "ClusterInventoryList", description: "Capacity, health and data age of clusters" });
export type ClusterInventoryList = Infer<typeof clusterInventoryListSchema>;

export const confirmClusterRequestSchema = z
  .strictObject({
    kubeSystemUid: z
      .string()
      .min(1)
      .max(128)
      .describe("UID of the namespace `kube-system` of the cluster that this name means from now on"),
  })
  .meta({ id: "ConfirmClusterRequest", description: "Accepts a different cluster under an existing name" });
export type ConfirmClusterRequest = Infer<typeof confirmClusterRequestSchema>;
