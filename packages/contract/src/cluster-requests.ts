import { z } from "zod";
import { type Cluster, clusterSchema } from "./cluster.ts";
import { type Join, joinSchema, tokenTtlMsSchema } from "./join.ts";
import { clusterNameSchema, type Labels, labelsSchema } from "./primitives.ts";
import { type Role, rolesSchema } from "./role.ts";

// Bodies are strict: an option that the hub doesn't know is refused, because ignoring it would be a silent surprise.

export interface CreateClusterRequest {
  readonly name: string;
  readonly labels?: Labels | undefined;
  /** `["proxy"]` unless told. */
  readonly roles?: Role[] | undefined;
  readonly tokenTtlMs?: number | undefined;
}

export const createClusterRequestSchema: z.ZodType<CreateClusterRequest> = z
  .strictObject({
    name: clusterNameSchema,
    labels: labelsSchema.optional(),
    roles: rolesSchema.optional(),
    tokenTtlMs: tokenTtlMsSchema.optional(),
  })
  .meta({ id: "CreateClusterRequest" });

export interface CreateClusterResponse {
  readonly cluster: Cluster;
  readonly join: Join;
}

export const createClusterResponseSchema: z.ZodType<CreateClusterResponse> = z
  .object({ cluster: clusterSchema, join: joinSchema })
  .meta({ id: "CreateClusterResponse" });

export interface RevokeClusterRequest {
  readonly reason?: string | undefined;
}

export const revokeClusterRequestSchema: z.ZodType<RevokeClusterRequest> = z
  .strictObject({ reason: z.string().min(1).max(512).optional() })
  .meta({ id: "RevokeClusterRequest" });
