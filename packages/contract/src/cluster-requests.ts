import { z } from "zod";
import { clusterSchema, displayNameSchema } from "./cluster.ts";
import type { Infer } from "./infer.ts";
import { joinSchema, tokenTtlMsSchema } from "./join.ts";
import { clusterNameSchema, labelChangesSchema, labelsSchema } from "./primitives.ts";
import { rolesSchema } from "./role.ts";

// Bodies are strict: an option that the hub doesn't know is rejected, because ignoring it would be a silent surprise.

export const createClusterRequestSchema = z
  .strictObject({
    name: clusterNameSchema.describe("Name for the cluster on this hub, a DNS label of at most 63 characters"),
    labels: labelsSchema.optional().describe("Labels of the cluster, at most 64 (default: none)"),
    roles: rolesSchema.optional().describe('Roles that agents of this cluster can enroll for (default `["proxy"]`)'),
    tokenTtlMs: tokenTtlMsSchema
      .optional()
      .describe("Lifetime of the join token in milliseconds, from one second to seven days (default one hour)"),
  })
  .meta({ id: "CreateClusterRequest", description: "Registers a cluster" });
export type CreateClusterRequest = Infer<typeof createClusterRequestSchema>;

export const updateClusterRequestSchema = z
  .strictObject({
    labels: labelChangesSchema
      .optional()
      .describe("Labels to set, and with `null` those to remove; other labels stay. A cluster has at most 64"),
    displayName: z.nullable(displayNameSchema).optional().describe("Name for people; `null` removes it"),
    protected: z.boolean().optional().describe("Whether the hub refuses to delete or revoke the cluster"),
  })
  .meta({ id: "UpdateClusterRequest", description: "Changes a cluster's settings; those that are absent stay" });
export type UpdateClusterRequest = Infer<typeof updateClusterRequestSchema>;

export const createClusterResponseSchema = z
  .object({
    cluster: clusterSchema.describe("The registered cluster"),
    join: joinSchema.describe("How to connect its first agent"),
  })
  .meta({ id: "CreateClusterResponse", description: "A registered cluster with its join token" });
export type CreateClusterResponse = Infer<typeof createClusterResponseSchema>;

export const revokeClusterRequestSchema = z
  .strictObject({
    reason: z.string().min(1).max(512).optional().describe("Why, for the cluster's history; at most 512 characters"),
  })
  .meta({ id: "RevokeClusterRequest", description: "Revokes a cluster's identities and closes its connections" });
export type RevokeClusterRequest = Infer<typeof revokeClusterRequestSchema>;
