import { z } from "zod";
import type { Infer } from "../infer.ts";
import { clusterNameSchema, timestampSchema } from "../primitives.ts";
import { plainNameSchema, verbSchema } from "./names.ts";

export const tokenScopeSchema = z
  .strictObject({
    clusters: z
      .array(clusterNameSchema)
      .min(1)
      .max(100)
      .optional()
      .describe("Clusters that the token can be used for (default: all that the robot's bindings name)"),
    verbs: z
      .array(verbSchema)
      .min(1)
      .max(32)
      .optional()
      .describe("Verbs that the token can be used for (default: all that the robot's roles permit)"),
  })
  .meta({
    id: "TokenScope",
    description: "Restricts a token to a part of what its robot may do. A scope never adds a right",
  });
export type TokenScope = Infer<typeof tokenScopeSchema>;

const robotTokenSchema = z
  .object({
    id: z.string().describe("ID of the token. It isn't secret"),
    createdAt: timestampSchema.describe("RFC 3339 time at which the token was created"),
    expiresAt: timestampSchema.describe("RFC 3339 time at which the token expires"),
    lastUsedAt: timestampSchema
      .optional()
      .describe("RFC 3339 time of the token's latest use. Absent when it was never used"),
    scope: tokenScopeSchema.optional().describe("Scope of the token. Absent: the token has all rights of its robot"),
  })
  .meta({ id: "RobotToken", description: "A long-lived token of a robot, without the secret itself" });
export type RobotToken = Infer<typeof robotTokenSchema>;

export const robotSchema = z
  .object({
    name: plainNameSchema.describe("DNS label of the robot"),
    description: z.string().optional().describe("Purpose of the robot, in the words of its creator"),
    createdAt: timestampSchema.describe("RFC 3339 time at which the robot was created"),
    ttlMs: z.number().describe("Maximum lifetime of the robot's tokens, in milliseconds"),
    tokens: z.array(robotTokenSchema).describe("Tokens of the robot, expired ones included until they are revoked"),
  })
  .meta({ id: "Robot", description: "An account for a program. It has only the rights that its bindings give" });
export type Robot = Infer<typeof robotSchema>;

export const robotListSchema = z
  .object({ items: z.array(robotSchema).describe("All robots") })
  .meta({ id: "RobotList", description: "List of robots" });
export type RobotList = Infer<typeof robotListSchema>;

/** Bounds of the lifetime of a robot's token, in milliseconds. */
export const robotTokenTtlLimits: { readonly minMs: number; readonly defaultMs: number; readonly maxMs: number } = {
  minMs: 1_000,
  defaultMs: 90 * 24 * 3_600_000,
  maxMs: 366 * 24 * 3_600_000,
};

const ttlMsSchema = z.int().min(robotTokenTtlLimits.minMs).max(robotTokenTtlLimits.maxMs);

export const createRobotRequestSchema = z
  .strictObject({
    name: plainNameSchema.describe("DNS label of the robot"),
    ttlMs: ttlMsSchema
      .optional()
      .describe("Maximum lifetime of the robot's tokens, in milliseconds (default 7776000000, which is 90 days)"),
    description: z.string().min(1).max(512).optional().describe("Purpose of the robot, for other people"),
  })
  .meta({ id: "CreateRobotRequest", description: "A robot to create" });
export type CreateRobotRequest = Infer<typeof createRobotRequestSchema>;

export const createRobotTokenRequestSchema = z
  .strictObject({
    ttlMs: ttlMsSchema.describe("Lifetime of the token in milliseconds, at most the robot's `ttlMs`"),
    scope: tokenScopeSchema.optional().describe("Scope of the token (default: all rights of the robot)"),
  })
  .meta({ id: "CreateRobotTokenRequest", description: "A token to create for a robot" });
export type CreateRobotTokenRequest = Infer<typeof createRobotTokenRequestSchema>;

export const newRobotTokenSchema = z
  .object({
    id: z.string().describe("ID of the token, by which it can be revoked"),
    token: z.string().min(1).describe("The token itself: a secret that the hub shows only in this answer"),
    expiresAt: timestampSchema.describe("RFC 3339 time at which the token expires"),
  })
  .meta({ id: "NewRobotToken", description: "A new token of a robot, with its secret" });
export type NewRobotToken = Infer<typeof newRobotTokenSchema>;
