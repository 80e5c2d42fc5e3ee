import { z } from "zod";
import type { Infer } from "../infer.ts";
import { timestampSchema } from "../primitives.ts";
import { whoamiSchema } from "../whoami.ts";

export const sessionSchema = z
  .object({
    sessionId: z.string().describe("ID of the session"),
    accessToken: z
      .string()
      .min(1)
      .describe(
        "Token for `Authorization: Bearer`, valid for minutes: a secret that the hub shows only in this answer",
      ),
    accessTokenExpiresAt: timestampSchema.describe("RFC 3339 time at which the access token expires"),
    refreshToken: z
      .string()
      .min(1)
      .describe("Token for the next pair of tokens, valid once: a secret that the hub shows only in this answer"),
    refreshTokenExpiresAt: timestampSchema.describe("RFC 3339 time at which the refresh token expires"),
    principal: whoamiSchema.describe("User, robot or admin token that signed in"),
  })
  .meta({ id: "Session", description: "A sign-in with its two tokens" });
export type Session = Infer<typeof sessionSchema>;

export const refreshSessionRequestSchema = z
  .strictObject({
    refreshToken: z
      .string()
      .min(1)
      .max(256)
      .describe("The session's latest refresh token. A second use after more than a minute ends the session"),
  })
  .meta({ id: "RefreshSessionRequest", description: "Exchanges a refresh token for the next pair of tokens" });
export type RefreshSessionRequest = Infer<typeof refreshSessionRequestSchema>;

const sessionInfoSchema = z
  .object({
    id: z.string().describe("ID of the session, by which it can be ended"),
    user: z.string().describe("Name of the user, robot or admin token that signed in"),
    kind: z.enum(["admin-token", "user", "robot"]).describe("Kind of the principal that signed in"),
    method: z
      .enum(["token", "oidc", "device"])
      .describe(
        "How the session began: with a long-lived token, in a browser (`oidc`), or in a browser on another device",
      ),
    createdAt: timestampSchema.describe("RFC 3339 time of the sign-in"),
    refreshedAt: timestampSchema.describe("RFC 3339 time of the latest refresh; at first that of the sign-in"),
    endsAt: timestampSchema.describe("RFC 3339 time at which the session ends. A refresh doesn't extend it"),
    remoteAddress: z
      .string()
      .optional()
      .describe("IP address that the sign-in came from. Absent when the hub doesn't know it"),
    isCurrent: z.boolean().describe("Whether it is the session of this request"),
  })
  .meta({ id: "SessionInfo", description: "A session without its tokens" });
export type SessionInfo = Infer<typeof sessionInfoSchema>;

export const sessionListSchema = z
  .object({ items: z.array(sessionInfoSchema).describe("Sessions that haven't ended, newest first") })
  .meta({ id: "SessionList", description: "List of sessions" });
export type SessionList = Infer<typeof sessionListSchema>;
