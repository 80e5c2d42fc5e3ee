import { z } from "zod";
import { clusterNameSchema, type Labels, labelsSchema, timestampSchema } from "./primitives.ts";
import { type Role, roleSchema } from "./role.ts";

/** `stale`: an agent is there, but what the hub knows of the cluster's objects has grown old. */
export type ClusterState = "never-connected" | "connected" | "stale" | "offline" | "revoked";

export const clusterStateSchema: z.ZodType<ClusterState> = z.enum([
  "never-connected",
  "connected",
  "stale",
  "offline",
  "revoked",
]);

/** Why the hub uses no agent, or not this one, for a cluster: a code of docs/errors.md, and what to do. */
export interface AgentRefusal {
  readonly code: string;
  readonly message: string;
  readonly hint?: string | undefined;
}

export const agentRefusalSchema: z.ZodType<AgentRefusal> = z
  .object({ code: z.string(), message: z.string(), hint: z.string().optional() })
  .meta({ id: "AgentRefusal" });

export interface Cluster {
  readonly name: string;
  readonly labels: Labels;
  readonly state: ClusterState;
  readonly stateSince: string;
  /** Why it is stale, was lost or revoked. */
  readonly stateReason?: string | undefined;
  /** Its agents may be enrolled for these. */
  readonly roles: Role[];
  /** Its identities that are good now have these. */
  readonly identityRoles?: Role[] | undefined;
  /** Its links serve these now. */
  readonly linkedRoles?: Role[] | undefined;
  /**
   * The refusal of an agent that connects under this name and isn't used: it is in another cluster, or doesn't say in
   * which.
   */
  readonly refusal?: AgentRefusal | undefined;
  readonly createdAt: string;
  readonly lastSeenAt?: string | undefined;
  readonly kubernetesVersion?: string | undefined;
  /** UID of the namespace `kube-system`: tells one cluster from another of the same name. */
  readonly kubeSystemUid?: string | undefined;
  readonly agentVersion?: string | undefined;
  /** Agent's clock minus the hub's. */
  readonly clockSkewMs?: number | undefined;
  /** How many alarms nobody has seen yet. */
  readonly alarmCount?: number | undefined;
}

export const clusterShape: ClusterShape = {
  name: clusterNameSchema,
  labels: labelsSchema,
  state: clusterStateSchema,
  stateSince: timestampSchema,
  stateReason: z.string().optional(),
  roles: z.array(roleSchema),
  identityRoles: z.array(roleSchema).optional(),
  linkedRoles: z.array(roleSchema).optional(),
  refusal: agentRefusalSchema.optional(),
  createdAt: timestampSchema,
  lastSeenAt: timestampSchema.optional(),
  kubernetesVersion: z.string().optional(),
  kubeSystemUid: z.string().optional(),
  agentVersion: z.string().optional(),
  clockSkewMs: z.number().optional(),
  alarmCount: z.number().optional(),
};

type ClusterShape = { [K in keyof Required<Cluster>]: z.ZodType<Cluster[K]> };

export const clusterSchema: z.ZodType<Cluster> = z.object(clusterShape).meta({ id: "Cluster" });

export interface ClusterList {
  readonly items: Cluster[];
}

export const clusterListSchema: z.ZodType<ClusterList> = z
  .object({ items: z.array(clusterSchema) })
  .meta({ id: "ClusterList" });
