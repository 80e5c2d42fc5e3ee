import { z } from "zod";
import { timestampSchema } from "../primitives.ts";
import { type GitopsMapping, type GitopsMode, gitopsMappingSchema, gitopsModeSchema } from "./settings.ts";

/** How the hub and a cluster exchange Argo CD applications at the moment. */
export interface GitopsStatus {
  readonly cluster: string;
  readonly mode: GitopsMode;
  readonly mapping: GitopsMapping;
  /** The hub that serves the cluster's agent now. Absent: none does. */
  readonly servedBy?: string | undefined;
  /** Since when a hub serves it, or served it last. Absent: none ever has. */
  readonly since?: string | undefined;
  /** When that hub looked. The states of flows are of that time. */
  readonly toldAt?: string | undefined;
  readonly flows: readonly GitopsFlowStatus[];
  /** Deletions that wait for a confirmation. Absent: none do. */
  readonly guard?: GitopsGuard | undefined;
}

/** The state of one kind's objects that go one way. */
export interface GitopsFlowStatus {
  readonly flow: string;
  readonly from: "hub" | "cluster";
  readonly state: "away" | "listing" | "comparing" | "open";
  readonly objects: number;
  /** Objects that the other side doesn't have as they are. From the cluster: objects that the hub is writing. */
  readonly dirty: number;
  /** On their way. */
  readonly unacked: number;
  /** The oldest change that the cluster hasn't acknowledged came at this time. */
  readonly oldestChangeAt?: string | undefined;
  /** When both sides compared all objects last. */
  readonly comparedAt?: string | undefined;
  readonly refusedCount: number;
  /** At most 100 over all flows of a cluster; none in a list of clusters. */
  readonly refused: readonly GitopsRefusedObject[];
}

export interface GitopsRefusedObject {
  /** NAMESPACE/NAME on the hub, or its uid where the hub doesn't know it. */
  readonly object: string;
  readonly reason: string;
  readonly message: string;
}

/** A mass deletion that waits. */
export interface GitopsGuard {
  readonly count: number;
  /** The digest of just this set of deletions, which a confirmation names. */
  readonly digest: string;
  readonly heldSince: string;
  /** At most 100, in the order in which they were found missing; none in a list of clusters. */
  readonly deletions: readonly HeldDeletion[];
}

export interface HeldDeletion {
  readonly uid: string;
  /** NAMESPACE/NAME on the hub. */
  readonly name: string;
  /** When it was found missing. */
  readonly leftAt: string;
}

export interface GitopsStatusList {
  readonly items: readonly GitopsStatus[];
  readonly next?: string | undefined;
}

export interface GitopsStatusListQuery {
  /** At most 100; 50 unless told. */
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

export interface ConfirmDeletionsRequest {
  /** The number of deletions that were shown. */
  readonly count: number;
  readonly digest: string;
}

export interface ConfirmedDeletions {
  readonly cluster: string;
  readonly count: number;
}

const flowSchema: z.ZodType<GitopsFlowStatus> = z
  .object({
    flow: z.string(),
    from: z.enum(["hub", "cluster"]),
    state: z.enum(["away", "listing", "comparing", "open"]),
    objects: z.number(),
    dirty: z.number(),
    unacked: z.number(),
    oldestChangeAt: timestampSchema.optional(),
    comparedAt: timestampSchema.optional(),
    refusedCount: z.number(),
    refused: z.array(z.object({ object: z.string(), reason: z.string(), message: z.string() })),
  })
  .meta({ id: "GitopsFlowStatus" });

const guardSchema: z.ZodType<GitopsGuard> = z
  .object({
    count: z.number(),
    digest: z.string(),
    heldSince: timestampSchema,
    deletions: z.array(z.object({ uid: z.string(), name: z.string(), leftAt: timestampSchema })),
  })
  .meta({ id: "GitopsGuard" });

export const gitopsStatusSchema: z.ZodType<GitopsStatus> = z
  .object({
    cluster: z.string(),
    mode: gitopsModeSchema,
    mapping: gitopsMappingSchema,
    servedBy: z.string().optional(),
    since: timestampSchema.optional(),
    toldAt: timestampSchema.optional(),
    flows: z.array(flowSchema),
    guard: guardSchema.optional(),
  })
  .meta({ id: "GitopsStatus" });

export const gitopsStatusListSchema: z.ZodType<GitopsStatusList> = z
  .object({ items: z.array(gitopsStatusSchema), next: z.string().optional() })
  .meta({ id: "GitopsStatusList" });

export const gitopsStatusListQuerySchema: z.ZodType<GitopsStatusListQuery> = z.strictObject({
  limit: z.coerce.number().int().min(1).max(100).optional(),
  cursor: z.string().max(63).optional(),
});

export const confirmDeletionsRequestSchema: z.ZodType<ConfirmDeletionsRequest> = z
  .strictObject({ count: z.number().int().min(1).max(5_000), digest: z.string().min(1).max(64) })
  .meta({ id: "ConfirmDeletionsRequest" });

export const confirmedDeletionsSchema: z.ZodType<ConfirmedDeletions> = z
  .object({ cluster: z.string(), count: z.number() })
  .meta({ id: "ConfirmedDeletions" });
