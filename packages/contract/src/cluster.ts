import { z } from "zod";
import type { Infer } from "./infer.ts";
import { clusterNameSchema, labelsSchema, timestampSchema } from "./primitives.ts";
import { roleSchema } from "./role.ts";

/** `stale`: an agent is there, but what the hub knows of the cluster's objects has grown old. */
export const clusterStateSchema = z.enum(["never-connected", "connected", "stale", "offline", "revoked"]);
export type ClusterState = Infer<typeof clusterStateSchema>;

export const agentRefusalSchema = z
  .object({
    code: z.string().describe("Stable code that docs/errors.md explains, such as `CLUSTER_IDENTITY_MISMATCH`"),
    message: z.string().describe("Why the hub doesn't use the agent, for people"),
    hint: z.string().optional().describe("What to do about it; absent where there is no advice"),
  })
  .meta({ id: "AgentRefusal", description: "Why the hub doesn't use an agent that connected for a cluster" });
export type AgentRefusal = Infer<typeof agentRefusalSchema>;

/** Any script, without characters that steer a terminal or a page. */
export const displayNameSchema = z
  .string()
  .min(1)
  .max(100)
  .refine((name) => name.trim() === name && !/[\p{C}\p{Zl}\p{Zp}]/u.test(name), {
    message: "must be one line of visible characters, without spaces at its ends",
  });

export const clusterShape = {
  name: clusterNameSchema.describe("Name of the cluster on this hub, a DNS label of at most 63 characters"),
  displayName: z
    .string()
    .optional()
    .describe("Name that people gave the cluster beside its own; absent where there is none"),
  protected: z
    .boolean()
    .optional()
    .describe("True while the hub refuses to delete or revoke the cluster; absent or false otherwise"),
  labels: labelsSchema.describe("Labels that people gave the cluster, for selectors such as `env=prod`"),
  state: clusterStateSchema.describe(
    "`never-connected`: no agent has connected yet. `connected`: an agent is connected. `stale`: an agent is connected, but the hub's copy of the cluster's objects is out of date. `offline`: no agent is connected. `revoked`: an administrator revoked the cluster's identities",
  ),
  stateSince: timestampSchema.describe("RFC 3339 time at which the cluster entered this state"),
  stateReason: z
    .string()
    .optional()
    .describe("Why the cluster is stale, offline or revoked; absent in other states and where no reason is known"),
  roles: z.array(roleSchema).describe("Roles that agents of this cluster can enroll for"),
  identityRoles: z.array(roleSchema).optional().describe("Roles of the cluster's identities that are valid now"),
  linkedRoles: z.array(roleSchema).optional().describe("Roles that the cluster's connected agents serve now"),
  refusal: agentRefusalSchema
    .optional()
    .describe("Why the hub doesn't use an agent that connects under this name, such as one of a different cluster"),
  createdAt: timestampSchema.describe("RFC 3339 time at which the cluster was registered"),
  lastSeenAt: timestampSchema
    .optional()
    .describe("RFC 3339 time at which an agent was last connected; absent before the first connection"),
  kubernetesVersion: z
    .string()
    .optional()
    .describe("Version of the cluster's API server, such as `v1.34.5`; absent until an agent reports it"),
  kubeSystemUid: z
    .string()
    .optional()
    .describe("UID of the namespace `kube-system`, which tells one cluster from another of the same name"),
  agentVersion: z.string().optional().describe("Version of the agent that connected last"),
  clockSkewMs: z.number().optional().describe("Clock of the agent minus clock of the hub, in milliseconds"),
  alarmCount: z.number().optional().describe("Number of alarms that nobody has marked as seen"),
};

export const clusterSchema = z
  .object(clusterShape)
  .meta({ id: "Cluster", description: "A registered cluster and the state of its connection" });
export type Cluster = Infer<typeof clusterSchema>;

export const clusterListSchema = z
  .object({ items: z.array(clusterSchema).describe("Clusters that the caller may see, by name") })
  .meta({ id: "ClusterList", description: "The registered clusters" });
export type ClusterList = Infer<typeof clusterListSchema>;
