import { z } from "zod";
import { type AgentRefusal, agentRefusalSchema, type Cluster, clusterShape } from "./cluster.ts";
import { type ClusterAlarm, clusterAlarmSchema } from "./cluster-alarm.ts";
import { timestampSchema } from "./primitives.ts";
import { type Role, roleSchema } from "./role.ts";

/** A live connection of one agent process. */
export interface ClusterLink {
  readonly id: string;
  readonly roles: Role[];
  readonly connectedAt: string;
  readonly remoteAddress: string;
  readonly agentInstanceId?: string | undefined;
  readonly agentVersion?: string | undefined;
  /** When the certificate that it authenticated with ends, or what a mesh has said of it. */
  readonly certificateNotAfter?: string | undefined;
  /** Why no requests go over it; undefined: they do, for the roles that it has. */
  readonly refusal?: AgentRefusal | undefined;
}

export const clusterLinkSchema: z.ZodType<ClusterLink> = z
  .object({
    id: z.string(),
    roles: z.array(roleSchema),
    connectedAt: timestampSchema,
    remoteAddress: z.string(),
    agentInstanceId: z.string().optional(),
    agentVersion: z.string().optional(),
    certificateNotAfter: timestampSchema.optional(),
    refusal: agentRefusalSchema.optional(),
  })
  .meta({ id: "ClusterLink" });

/** A key that the hub has certified for this cluster. */
export interface ClusterIdentity {
  /** SHA-256 of the public key (SPKI), hex. */
  readonly keyThumbprint: string;
  readonly roles: Role[];
  readonly enrolledAt: string;
  /** Serial and end of the newest certificate. */
  readonly serial?: string | undefined;
  readonly notAfter?: string | undefined;
  readonly revokedAt?: string | undefined;
}

export const clusterIdentitySchema: z.ZodType<ClusterIdentity> = z
  .object({
    keyThumbprint: z.string(),
    roles: z.array(roleSchema),
    enrolledAt: timestampSchema,
    serial: z.string().optional(),
    notAfter: timestampSchema.optional(),
    revokedAt: timestampSchema.optional(),
  })
  .meta({ id: "ClusterIdentity" });

export type ClusterEventLevel = "info" | "warning" | "alarm";

export interface ClusterEvent {
  readonly at: string;
  readonly level: ClusterEventLevel;
  /** Stable, kebab-case: `enrolled`, `connected`, `token-reused` … */
  readonly type: string;
  readonly message: string;
}

export const clusterEventSchema: z.ZodType<ClusterEvent> = z
  .object({
    at: timestampSchema,
    level: z.enum(["info", "warning", "alarm"]),
    type: z.string(),
    message: z.string(),
  })
  .meta({ id: "ClusterEvent" });

export interface ClusterDetail extends Cluster {
  readonly links: ClusterLink[];
  readonly identities: ClusterIdentity[];
  /** Alarms that nobody has seen yet, latest first; absent from hubs of version 0.1. */
  readonly alarms?: ClusterAlarm[] | undefined;
  /** The latest 50, newest first. */
  readonly events: ClusterEvent[];
}

export const clusterDetailSchema: z.ZodType<ClusterDetail> = z
  .object({
    ...clusterShape,
    links: z.array(clusterLinkSchema),
    identities: z.array(clusterIdentitySchema),
    alarms: z.array(clusterAlarmSchema).optional(),
    events: z.array(clusterEventSchema),
  })
  .meta({ id: "ClusterDetail" });
