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

export interface GitopsSettings {
  readonly cluster: string;
  readonly mode: GitopsMode;
  readonly mapping: GitopsMapping;
  /** Grows with each change. */
  readonly generation: number;
  /** Absent while nobody has set any. */
  readonly updatedAt?: string | undefined;
  readonly updatedBy?: string | undefined;
}

export interface PutGitopsSettingsRequest {
  readonly mode: GitopsMode;
  /** `namespace` unless told; `destination` is for managed clusters alone. */
  readonly mapping?: GitopsMapping | undefined;
}

const modeSchema: z.ZodType<GitopsMode> = z.enum(["off", "managed", "autonomous"]);
const mappingSchema: z.ZodType<GitopsMapping> = z.enum(["namespace", "destination"]);

export const gitopsSettingsSchema: z.ZodType<GitopsSettings> = z
  .object({
    cluster: z.string(),
    mode: modeSchema,
    mapping: mappingSchema,
    generation: z.number(),
    updatedAt: timestampSchema.optional(),
    updatedBy: z.string().optional(),
  })
  .meta({ id: "GitopsSettings" });

export const putGitopsSettingsRequestSchema: z.ZodType<PutGitopsSettingsRequest> = z
  .strictObject({ mode: modeSchema, mapping: mappingSchema.optional() })
  .refine(({ mode, mapping }) => mapping !== "destination" || mode === "managed", {
    message: "the mapping by destination is for managed clusters",
    path: ["mapping"],
  })
  .meta({ id: "PutGitopsSettingsRequest" });
