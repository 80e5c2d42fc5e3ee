import { z } from "zod";
import { timestampSchema } from "./primitives.ts";
import { type Role, rolesSchema } from "./role.ts";

/**
 * A new agent needs this for its first connection. `token` is a secret that the hub shows this once. A hub that knows its
 * agents by a mesh gives none.
 */
export interface Join {
  readonly token?: string | undefined;
  /** The token's end. */
  readonly expiresAt?: string | undefined;
  /** The agent listener as agents reach it. */
  readonly hubAgentUrl: string;
  /** A command that starts an agent; it names the token's place rather than the token. */
  readonly command: string;
  /** The same by Helm, where the chart has the roles that were asked for. */
  readonly helm?: HelmJoin | undefined;
}

/** How an agent is installed into its cluster, by whoever may make ClusterRoles there. */
export interface HelmJoin {
  /** Lines for a shell; the last one is Helm's. They may be run again, with a new token too. */
  readonly command: string;
  readonly variants: readonly HelmVariant[];
}

export interface HelmVariant {
  /** The surrounding that asks for it, such as "behind an HTTP proxy". */
  readonly when: string;
  /** Lines to run before, where there are any. */
  readonly before?: string | undefined;
  /** The last line's arguments. */
  readonly arguments: string;
}

const helmJoinSchema: z.ZodType<HelmJoin> = z
  .object({
    command: z.string(),
    variants: z.array(z.object({ when: z.string(), before: z.string().optional(), arguments: z.string() })),
  })
  .meta({ id: "HelmJoin" });

export const joinSchema: z.ZodType<Join> = z
  .object({
    token: z.string().min(1).optional(),
    expiresAt: timestampSchema.optional(),
    hubAgentUrl: z.string().min(1),
    command: z.string(),
    helm: helmJoinSchema.optional(),
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
