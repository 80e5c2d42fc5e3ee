import { z } from "zod";
import { timestampSchema } from "./primitives.ts";
import { type Role, rolesSchema } from "./role.ts";

/** What a new agent needs for its first connection. `token` is a secret that the hub shows this once. */
export interface Join {
  readonly token: string;
  readonly expiresAt: string;
  /** The agent listener as agents reach it. */
  readonly hubAgentUrl: string;
  /** A command that starts an agent; it names the token's place rather than the token. */
  readonly command: string;
}

export const joinSchema: z.ZodType<Join> = z
  .object({
    token: z.string().min(1),
    expiresAt: timestampSchema,
    hubAgentUrl: z.string().min(1),
    command: z.string(),
  })
  .meta({ id: "Join" });

/** Bounds of a join token's life, in milliseconds. */
export const tokenTtlLimits: { readonly minMs: number; readonly defaultMs: number; readonly maxMs: number } = {
  minMs: 1_000,
  defaultMs: 3_600_000,
  maxMs: 7 * 24 * 3_600_000,
};

export const tokenTtlMsSchema: z.ZodType<number> = z.int().min(tokenTtlLimits.minMs).max(tokenTtlLimits.maxMs);

export interface CreateJoinTokenRequest {
  /** The cluster's own roles unless told. */
  readonly roles?: Role[] | undefined;
  readonly tokenTtlMs?: number | undefined;
}

export const createJoinTokenRequestSchema: z.ZodType<CreateJoinTokenRequest> = z
  .strictObject({ roles: rolesSchema.optional(), tokenTtlMs: tokenTtlMsSchema.optional() })
  .meta({ id: "CreateJoinTokenRequest" });
