import { z } from "zod";
import type { Infer } from "../infer.ts";
import { timestampSchema } from "../primitives.ts";

export const gitopsModeSchema = z.enum(["off", "managed", "autonomous"]);
export type GitopsMode = Infer<typeof gitopsModeSchema>;

export const gitopsMappingSchema = z.enum(["namespace", "destination"]);
export type GitopsMapping = Infer<typeof gitopsMappingSchema>;

export const gitopsModeText =
  "`managed`: the hub holds the cluster's Argo CD applications. `autonomous`: the cluster holds them, and the hub shows them. `off`: the hub and the cluster exchange none";
export const gitopsMappingText =
  "How the hub assigns applications to clusters. `namespace`: by their namespace, one for each cluster. `destination`: by the name of their destination; the namespace is the same on both sides";

const rules = {
  onUidMismatch: z
    .enum(["recreate", "upsert"])
    .describe(
      "What happens to a copy of another object of the hub under the same name: `recreate` deletes and recreates it, `upsert` takes it over",
    ),
  adoption: z
    .enum(["always", "never"])
    .describe("Whether the cluster's own object of the same name becomes the copy of the hub's object"),
  onRecreate: z
    .enum(["ignore", "clear-status", "resync"])
    .describe(
      "How an application that someone deleted in the cluster is recreated: `ignore` with its last status, `clear-status` without one, `resync` with a sync",
    ),
  createNamespaces: z.boolean().describe("Whether the agent creates missing namespaces of applications"),
  guardPercent: z
    .number()
    .int()
    .min(1)
    .max(100)
    .describe(
      "Percentage of the cluster's applications; deleting more than this at once requires confirmation. With 100 none does",
    ),
  guardMin: z
    .number()
    .int()
    .min(1)
    .max(5_000)
    .describe("Number of deletions; fewer than this at once never require confirmation"),
};

const rulesSchema = z.object(rules);
export type GitopsRules = Infer<typeof rulesSchema>;

/** The rules of clusters for which nobody has set any. */
export const usualGitopsRules: GitopsRules = {
  onUidMismatch: "recreate",
  adoption: "always",
  onRecreate: "ignore",
  createNamespaces: false,
  guardPercent: 20,
  guardMin: 5,
};

export const gitopsSettingsSchema = z
  .object({
    cluster: z.string().describe("Name of the cluster"),
    mode: gitopsModeSchema.describe(gitopsModeText),
    mapping: gitopsMappingSchema.describe(gitopsMappingText),
    rules: rulesSchema
      .optional()
      .describe("Rules for the hub's objects where they meet those of the cluster; absent from hubs without rules"),
    generation: z.number().describe("Number that grows with each change of the settings"),
    updatedAt: timestampSchema
      .optional()
      .describe("RFC 3339 time of the latest change; absent while nobody has changed the defaults"),
    updatedBy: z
      .string()
      .optional()
      .describe("Name of the account that made the latest change; absent while nobody has changed the defaults"),
  })
  .meta({ id: "GitopsSettings", description: "How the hub and a cluster exchange Argo CD applications" });
export type GitopsSettings = Infer<typeof gitopsSettingsSchema>;

export const putGitopsSettingsRequestSchema = z
  .strictObject({
    mode: gitopsModeSchema.optional().describe(gitopsModeText),
    mapping: gitopsMappingSchema
      .optional()
      .describe(
        `${gitopsMappingText}. Managed clusters alone can have it; setting another mode resets it to \`namespace\``,
      ),
    rules: z
      .strictObject(rules)
      .partial()
      .optional()
      .describe("Rules for the hub's objects where they meet those of the cluster; absent rules keep their value"),
  })
  .refine(({ mode = "managed", mapping }) => mapping !== "destination" || mode === "managed", {
    message: "the mapping by destination is for managed clusters",
    path: ["mapping"],
  })
  .meta({
    id: "PutGitopsSettingsRequest",
    description: "Changes a cluster's settings for Argo CD; absent properties keep their value",
  });
export type PutGitopsSettingsRequest = Infer<typeof putGitopsSettingsRequestSchema>;
