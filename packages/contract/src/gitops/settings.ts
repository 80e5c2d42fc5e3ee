import { z } from "zod";
import { timestampSchema } from "../primitives.ts";

/**
 * Where the truth about a cluster's Argo CD applications is. `managed`: at the hub. `autonomous`: in the cluster. `off`:
 * the hub and the cluster exchange none.
 */
export type GitopsMode = "off" | "managed" | "autonomous";

/**
 * How the hub tells whose an application is. `namespace`: by its namespace, one for each cluster. `destination`: by the
 * name of its destination; the namespace is the same on both sides.
 */
export type GitopsMapping = "namespace" | "destination";

/** Rules for the hub's applications where they meet those of a cluster. */
export interface GitopsRules {
  /** A copy of another object of the hub is there under the same name: it is deleted and made anew, or taken over. */
  readonly onUidMismatch: "recreate" | "upsert";
  /** Whether an object of the cluster's own under the same name becomes the copy. */
  readonly adoption: "always" | "never";
  /** The status with which an application begins that was deleted in the cluster and is made anew. */
  readonly onRecreate: "ignore" | "clear-status" | "resync";
  /** Whether the agent makes namespaces that applications are to be in. */
  readonly createNamespaces: boolean;
  /** More than this share of the applications disappearing at once waits for a confirmation. 100: nothing waits. */
  readonly guardPercent: number;
  /** Fewer than this number never wait. */
  readonly guardMin: number;
}

export interface GitopsSettings {
  readonly cluster: string;
  readonly mode: GitopsMode;
  readonly mapping: GitopsMapping;
  /** Absent: the hub is of a version that can't be told any. */
  readonly rules?: GitopsRules | undefined;
  /** Grows with each change. */
  readonly generation: number;
  /** Absent while nobody has set any. */
  readonly updatedAt?: string | undefined;
  readonly updatedBy?: string | undefined;
}

/** Members that are left out stay as they are. */
export interface PutGitopsSettingsRequest {
  readonly mode?: GitopsMode | undefined;
  /** `destination` is for managed clusters alone; with another mode it becomes `namespace`. */
  readonly mapping?: GitopsMapping | undefined;
  readonly rules?: { readonly [Rule in keyof GitopsRules]?: GitopsRules[Rule] | undefined } | undefined;
}

/** The rules of clusters for which nobody has set any. */
export const usualGitopsRules: GitopsRules = {
  onUidMismatch: "recreate",
  adoption: "always",
  onRecreate: "ignore",
  createNamespaces: false,
  guardPercent: 20,
  guardMin: 5,
};

export const gitopsModeSchema: z.ZodType<GitopsMode> = z.enum(["off", "managed", "autonomous"]);
export const gitopsMappingSchema: z.ZodType<GitopsMapping> = z.enum(["namespace", "destination"]);

const rules = {
  onUidMismatch: z.enum(["recreate", "upsert"]),
  adoption: z.enum(["always", "never"]),
  onRecreate: z.enum(["ignore", "clear-status", "resync"]),
  createNamespaces: z.boolean(),
  guardPercent: z.number().int().min(1).max(100),
  guardMin: z.number().int().min(1).max(5_000),
};

export const gitopsSettingsSchema: z.ZodType<GitopsSettings> = z
  .object({
    cluster: z.string(),
    mode: gitopsModeSchema,
    mapping: gitopsMappingSchema,
    rules: z.object(rules).optional(),
    generation: z.number(),
    updatedAt: timestampSchema.optional(),
    updatedBy: z.string().optional(),
  })
  .meta({ id: "GitopsSettings" });

export const putGitopsSettingsRequestSchema: z.ZodType<PutGitopsSettingsRequest> = z
  .strictObject({
    mode: gitopsModeSchema.optional(),
    mapping: gitopsMappingSchema.optional(),
    rules: z.strictObject(rules).partial().optional(),
  })
  .refine(({ mode = "managed", mapping }) => mapping !== "destination" || mode === "managed", {
    message: "the mapping by destination is for managed clusters",
    path: ["mapping"],
  })
  .meta({ id: "PutGitopsSettingsRequest" });
