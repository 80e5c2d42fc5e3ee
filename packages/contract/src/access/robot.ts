import { z } from "zod";
import { clusterNameSchema, timestampSchema } from "../primitives.ts";
import { plainNameSchema, verbSchema } from "./names.ts";

/** Narrows what a token may do below what its robot may. */
export interface TokenScope {
  readonly clusters?: string[] | undefined;
  readonly verbs?: string[] | undefined;
}

export const tokenScopeSchema: z.ZodType<TokenScope> = z
  .strictObject({
    clusters: z.array(clusterNameSchema).min(1).max(100).optional(),
    verbs: z.array(verbSchema).min(1).max(32).optional(),
  })
  .meta({ id: "TokenScope" });

export interface RobotToken {
  readonly id: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly lastUsedAt?: string | undefined;
  readonly scope?: TokenScope | undefined;
}

const robotTokenSchema: z.ZodType<RobotToken> = z
  .object({
    id: z.string(),
    createdAt: timestampSchema,
    expiresAt: timestampSchema,
    lastUsedAt: timestampSchema.optional(),
    scope: tokenScopeSchema.optional(),
  })
  .meta({ id: "RobotToken" });

/** An account for a program. It has no rights but those of its bindings. */
export interface Robot {
  readonly name: string;
  readonly description?: string | undefined;
  readonly createdAt: string;
  /** The longest life that its tokens may have. */
  readonly ttlMs: number;
  /** Also those whose time is over, until they are removed. */
  readonly tokens: RobotToken[];
}

export const robotSchema: z.ZodType<Robot> = z
  .object({
    name: plainNameSchema,
    description: z.string().optional(),
    createdAt: timestampSchema,
    ttlMs: z.number(),
    tokens: z.array(robotTokenSchema),
  })
  .meta({ id: "Robot" });

export interface RobotList {
  readonly items: Robot[];
}

export const robotListSchema: z.ZodType<RobotList> = z
  .object({ items: z.array(robotSchema) })
  .meta({ id: "RobotList" });

/** Bounds of the life of a robot's token, in milliseconds. */
export const robotTokenTtlLimits: { readonly minMs: number; readonly defaultMs: number; readonly maxMs: number } = {
  minMs: 1_000,
  defaultMs: 90 * 24 * 3_600_000,
  maxMs: 366 * 24 * 3_600_000,
};

const ttlMsSchema: z.ZodType<number> = z.int().min(robotTokenTtlLimits.minMs).max(robotTokenTtlLimits.maxMs);

export interface CreateRobotRequest {
  readonly name: string;
  /** The longest life that its tokens may have; 90 days unless told. */
  readonly ttlMs?: number | undefined;
  readonly description?: string | undefined;
}

export const createRobotRequestSchema: z.ZodType<CreateRobotRequest> = z
  .strictObject({
    name: plainNameSchema,
    ttlMs: ttlMsSchema.optional(),
    description: z.string().min(1).max(512).optional(),
  })
  .meta({ id: "CreateRobotRequest" });

export interface CreateRobotTokenRequest {
  readonly ttlMs: number;
  readonly scope?: TokenScope | undefined;
}

export const createRobotTokenRequestSchema: z.ZodType<CreateRobotTokenRequest> = z
  .strictObject({ ttlMs: ttlMsSchema, scope: tokenScopeSchema.optional() })
  .meta({ id: "CreateRobotTokenRequest" });

/** `token` is a secret that the hub shows this once. */
export interface NewRobotToken {
  readonly id: string;
  readonly token: string;
  readonly expiresAt: string;
}

export const newRobotTokenSchema: z.ZodType<NewRobotToken> = z
  .object({ id: z.string(), token: z.string().min(1), expiresAt: timestampSchema })
  .meta({ id: "NewRobotToken" });
