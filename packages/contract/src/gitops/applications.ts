import { z } from "zod";
import { optionalTextSchema } from "../primitives.ts";
import type { GitopsMode } from "./settings.ts";

/** A short form of what Argo CD says of an application. */
export interface ApplicationSummary {
  readonly cluster: string;
  /** On the hub. */
  readonly namespace: string;
  readonly name: string;
  readonly project: string;
  readonly mode: GitopsMode;
  /** `Synced`, `OutOfSync` or `Unknown`; empty before the cluster's Argo CD has said it. */
  readonly sync: string;
  /** `Healthy`, `Progressing`, `Degraded`, `Suspended`, `Missing` or `Unknown`; or empty. */
  readonly health: string;
  /** The phase of the operation that is under way or was the last; or empty. */
  readonly phase: string;
  readonly revision: string;
  /** When the cluster's Argo CD last looked; absent before. */
  readonly reconciledAt?: string | undefined;
  readonly isDeleting: boolean;
}

export interface ApplicationList {
  readonly items: readonly ApplicationSummary[];
  readonly next?: string | undefined;
}

export interface ApplicationDetail extends ApplicationSummary {
  readonly resourceVersion: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly finalizers: readonly string[];
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status: Readonly<Record<string, unknown>>;
}

export interface ApplicationListQuery {
  readonly cluster?: string | undefined;
  readonly project?: string | undefined;
  readonly sync?: string | undefined;
  readonly health?: string | undefined;
  readonly labelSelector?: string | undefined;
  /** At most 500; 100 unless told. */
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

export interface PutApplicationRequest {
  readonly spec: Readonly<Record<string, unknown>>;
  /** Labels stay as they are unless given; so do annotations and finalizers. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly finalizers?: readonly string[] | undefined;
  /** Given: only over this version of it. `0`: only where there is none. */
  readonly resourceVersion?: string | undefined;
}

export interface SyncApplicationRequest {
  /** The revision of the source, instead of the spec's. */
  readonly revision?: string | undefined;
  readonly prune?: boolean | undefined;
  readonly dryRun?: boolean | undefined;
}

export interface RefreshApplicationRequest {
  /** Without what Argo CD keeps of manifests. */
  readonly hard?: boolean | undefined;
}

export interface RollbackApplicationRequest {
  /** The id of an entry of the history. */
  readonly id: number;
  readonly prune?: boolean | undefined;
}

export interface ApplicationHistory {
  readonly items: readonly ApplicationHistoryEntry[];
}

export interface ApplicationHistoryEntry {
  readonly id: number;
  readonly revision: string;
  readonly deployedAt?: string | undefined;
}

const anyObject = z.record(z.string(), z.unknown());
const texts = z.record(z.string().min(1).max(320), z.string().max(256 * 1024));
const summary = {
  cluster: z.string(),
  namespace: z.string(),
  name: z.string(),
  project: z.string(),
  mode: z.enum(["off", "managed", "autonomous"]),
  sync: z.string(),
  health: z.string(),
  phase: z.string(),
  revision: z.string(),
  reconciledAt: z.string().optional(),
  isDeleting: z.boolean(),
};

export const applicationListSchema: z.ZodType<ApplicationList> = z
  .object({ items: z.array(z.object(summary).meta({ id: "ApplicationSummary" })), next: z.string().optional() })
  .meta({ id: "ApplicationList" });

export const applicationDetailSchema: z.ZodType<ApplicationDetail> = z
  .object({
    ...summary,
    resourceVersion: z.string(),
    labels: texts,
    annotations: texts,
    finalizers: z.array(z.string()),
    spec: anyObject,
    status: anyObject,
  })
  .meta({ id: "ApplicationDetail" });

export const applicationHistorySchema: z.ZodType<ApplicationHistory> = z
  .object({
    items: z.array(z.object({ id: z.number(), revision: z.string(), deployedAt: z.string().optional() })),
  })
  .meta({ id: "ApplicationHistory" });

export const applicationListQuerySchema: z.ZodType<ApplicationListQuery> = z.strictObject({
  cluster: optionalTextSchema(63),
  project: optionalTextSchema(253),
  sync: optionalTextSchema(64),
  health: optionalTextSchema(64),
  labelSelector: optionalTextSchema(4_096),
  limit: z.coerce.number().int().min(1).max(500).optional(),
  cursor: optionalTextSchema(512),
});

export const putApplicationRequestSchema: z.ZodType<PutApplicationRequest> = z
  .strictObject({
    spec: anyObject,
    labels: texts.optional(),
    annotations: texts.optional(),
    finalizers: z.array(z.string().min(1).max(320)).max(32).optional(),
    resourceVersion: z.string().min(1).max(64).optional(),
  })
  .meta({ id: "PutApplicationRequest" });

export const syncApplicationRequestSchema: z.ZodType<SyncApplicationRequest> = z
  .strictObject({ revision: optionalTextSchema(256), prune: z.boolean().optional(), dryRun: z.boolean().optional() })
  .meta({ id: "SyncApplicationRequest" });

export const refreshApplicationRequestSchema: z.ZodType<RefreshApplicationRequest> = z
  .strictObject({ hard: z.boolean().optional() })
  .meta({ id: "RefreshApplicationRequest" });

export const rollbackApplicationRequestSchema: z.ZodType<RollbackApplicationRequest> = z
  .strictObject({ id: z.number().int().min(0), prune: z.boolean().optional() })
  .meta({ id: "RollbackApplicationRequest" });
