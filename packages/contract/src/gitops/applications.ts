import { z } from "zod";
import type { Infer } from "../infer.ts";
import { optionalTextSchema } from "../primitives.ts";
import { gitopsModeSchema, gitopsModeText } from "./settings.ts";

const anyObject = z.record(z.string(), z.unknown());
const texts = z.record(z.string().min(1).max(320), z.string().max(256 * 1024));
const prune = z.boolean().optional().describe("Delete resources that the source no longer contains (default false)");
const summary = {
  cluster: z.string().describe("Name of the cluster that the application runs in"),
  namespace: z.string().describe("Namespace of the application on the hub"),
  name: z.string().describe("Name of the application"),
  project: z.string().describe("Argo CD project of the application"),
  mode: gitopsModeSchema.describe(`Mode of the application's cluster. ${gitopsModeText}`),
  sync: z
    .string()
    .describe("Sync status: `Synced`, `OutOfSync` or `Unknown`; empty until the cluster's Argo CD reports it"),
  health: z
    .string()
    .describe(
      "Health: `Healthy`, `Progressing`, `Degraded`, `Suspended`, `Missing` or `Unknown`; empty until the cluster's Argo CD reports it",
    ),
  phase: z
    .string()
    .describe("Phase of the current or latest operation, such as `Running` or `Succeeded`; empty before the first"),
  revision: z.string().describe("Revision of the source that was compared last; empty before the first comparison"),
  reconciledAt: z
    .string()
    .optional()
    .describe(
      "RFC 3339 time at which the cluster's Argo CD last reconciled the application; absent before the first time",
    ),
  isDeleting: z.boolean().describe("Whether the application is being deleted and waits for its finalizers"),
};

const summarySchema = z
  .object(summary)
  .meta({ id: "ApplicationSummary", description: "An Argo CD application in short" });
export type ApplicationSummary = Infer<typeof summarySchema>;

export const applicationListSchema = z
  .object({
    items: z.array(summarySchema).describe("Applications that the caller may see"),
    next: z.string().optional().describe("Cursor of the next page; absent on the last page"),
  })
  .meta({ id: "ApplicationList", description: "A page of Argo CD applications" });
export type ApplicationList = Infer<typeof applicationListSchema>;

export const applicationDetailSchema = z
  .object({
    ...summary,
    resourceVersion: z.string().describe("Version of the application, for writes that must not overwrite a newer one"),
    labels: texts.describe("Labels of the application"),
    annotations: texts.describe("Annotations of the application"),
    finalizers: z.array(z.string()).describe("Finalizers of the application"),
    spec: anyObject.describe("Spec of the application, as Argo CD defines it"),
    status: anyObject.describe("Status of the application, as the cluster's Argo CD reports it; empty before"),
  })
  .meta({ id: "ApplicationDetail", description: "An Argo CD application with spec and status" });
export type ApplicationDetail = Infer<typeof applicationDetailSchema>;

const historyEntrySchema = z.object({
  id: z.number().describe("ID of the entry, for a rollback to it"),
  revision: z.string().describe("Deployed revision of the source; separated by commas for several sources"),
  deployedAt: z.string().optional().describe("RFC 3339 time of the deployment; absent where it isn't known"),
});
export type ApplicationHistoryEntry = Infer<typeof historyEntrySchema>;

export const applicationHistorySchema = z
  .object({ items: z.array(historyEntrySchema).describe("Deployments that Argo CD keeps in the application's status") })
  .meta({ id: "ApplicationHistory", description: "Deployment history of an Argo CD application" });
export type ApplicationHistory = Infer<typeof applicationHistorySchema>;

export const applicationListQuerySchema = z.strictObject({
  cluster: optionalTextSchema(63).describe("Only applications of this cluster"),
  project: optionalTextSchema(253).describe("Only applications of this Argo CD project"),
  sync: optionalTextSchema(64).describe("Only applications with this sync status, such as `OutOfSync`"),
  health: optionalTextSchema(64).describe("Only applications with this health, such as `Degraded`"),
  labelSelector: optionalTextSchema(4_096).describe(
    "Only applications with matching labels, in the syntax of Kubernetes label selectors",
  ),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(500)
    .optional()
    .describe("Maximum number of applications on a page, at most 500 (default 100)"),
  cursor: optionalTextSchema(512).describe("`next` of the previous page"),
});
export type ApplicationListQuery = Infer<typeof applicationListQuerySchema>;

export const putApplicationRequestSchema = z
  .strictObject({
    spec: anyObject.describe("Spec of the application, as Argo CD defines it"),
    labels: texts.optional().describe("Labels of the application (default: unchanged)"),
    annotations: texts.optional().describe("Annotations of the application (default: unchanged)"),
    finalizers: z
      .array(z.string().min(1).max(320))
      .max(32)
      .optional()
      .describe("Finalizers of the application, at most 32 (default: unchanged)"),
    resourceVersion: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .describe(
        "Version to replace; the request fails if the application has another one. `0` requires that there is none yet (default: any version)",
      ),
  })
  .meta({ id: "PutApplicationRequest", description: "Creates or replaces an Argo CD application" });
export type PutApplicationRequest = Infer<typeof putApplicationRequestSchema>;

export const syncApplicationRequestSchema = z
  .strictObject({
    revision: optionalTextSchema(256).describe("Revision of the source to sync to (default: that of the spec)"),
    prune,
    dryRun: z.boolean().optional().describe("Report what the sync would change, and change nothing (default false)"),
  })
  .meta({ id: "SyncApplicationRequest", description: "Starts a sync of an Argo CD application" });
export type SyncApplicationRequest = Infer<typeof syncApplicationRequestSchema>;

export const refreshApplicationRequestSchema = z
  .strictObject({
    hard: z.boolean().optional().describe("Also discard the manifests that Argo CD has cached (default false)"),
  })
  .meta({ id: "RefreshApplicationRequest", description: "Compares an Argo CD application with its source again" });
export type RefreshApplicationRequest = Infer<typeof refreshApplicationRequestSchema>;

export const rollbackApplicationRequestSchema = z
  .strictObject({
    id: z.number().int().min(0).describe("ID of the entry of the history to deploy again"),
    prune,
  })
  .meta({
    id: "RollbackApplicationRequest",
    description: "Rolls an Argo CD application back to an earlier deployment",
  });
export type RollbackApplicationRequest = Infer<typeof rollbackApplicationRequestSchema>;
