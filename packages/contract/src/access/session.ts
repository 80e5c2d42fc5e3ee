import { z } from "zod";
import { timestampSchema } from "../primitives.ts";
import { type PrincipalKind, type Whoami, whoamiSchema } from "../whoami.ts";

/** A sign-in. Both tokens are secrets that the hub shows this once. */
export interface Session {
  readonly sessionId: string;
  /** Minutes long; goes into `Authorization: Bearer`. */
  readonly accessToken: string;
  readonly accessTokenExpiresAt: string;
  /** Buys the next pair, once. */
  readonly refreshToken: string;
  readonly refreshTokenExpiresAt: string;
  readonly principal: Whoami;
}

export const sessionSchema: z.ZodType<Session> = z
  .object({
    sessionId: z.string(),
    accessToken: z.string().min(1),
    accessTokenExpiresAt: timestampSchema,
    refreshToken: z.string().min(1),
    refreshTokenExpiresAt: timestampSchema,
    principal: whoamiSchema,
  })
  .meta({ id: "Session" });

export interface RefreshSessionRequest {
  readonly refreshToken: string;
}

export const refreshSessionRequestSchema: z.ZodType<RefreshSessionRequest> = z
  .strictObject({ refreshToken: z.string().min(1).max(256) })
  .meta({ id: "RefreshSessionRequest" });

/** The part of a session that a list shows. */
export interface SessionInfo {
  readonly id: string;
  readonly user: string;
  readonly kind: PrincipalKind;
  /** How it began. */
  readonly method: "token" | "oidc" | "device";
  readonly createdAt: string;
  readonly refreshedAt: string;
  readonly endsAt: string;
  /** From where it began. */
  readonly remoteAddress?: string | undefined;
  /** True for the session that asks. */
  readonly isCurrent: boolean;
}

export interface SessionList {
  readonly items: SessionInfo[];
}

export const sessionListSchema: z.ZodType<SessionList> = z
  .object({
    items: z.array(
      z
        .object({
          id: z.string(),
          user: z.string(),
          kind: z.enum(["admin-token", "user", "robot"]),
          method: z.enum(["token", "oidc", "device"]),
          createdAt: timestampSchema,
          refreshedAt: timestampSchema,
          endsAt: timestampSchema,
          remoteAddress: z.string().optional(),
          isCurrent: z.boolean(),
        })
        .meta({ id: "SessionInfo" }),
    ),
  })
  .meta({ id: "SessionList" });
