import { z } from "zod";
import { timestampSchema } from "../primitives.ts";
import { type Session, sessionSchema } from "./session.ts";

/** How one may sign in at this hub. */
export interface AuthMethods {
  readonly token: boolean;
  readonly oidc?:
    | {
        readonly issuer: string;
        /** The provider's name on a button. */
        readonly name: string;
        readonly deviceFlow: boolean;
      }
    | undefined;
}

export const authMethodsSchema: z.ZodType<AuthMethods> = z
  .object({
    token: z.boolean(),
    oidc: z.object({ issuer: z.string(), name: z.string(), deviceFlow: z.boolean() }).optional(),
  })
  .meta({ id: "AuthMethods" });

/** The end of the code flow: proves that who started it also ends it (PKCE, RFC 7636, S256). */
export interface OidcTokenRequest {
  readonly code: string;
  readonly codeVerifier: string;
}

export const oidcTokenRequestSchema: z.ZodType<OidcTokenRequest> = z
  .strictObject({
    code: z.string().min(1).max(256),
    codeVerifier: z.string().regex(/^[A-Za-z0-9._~-]{43,128}$/, { message: "is not a code verifier" }),
  })
  .meta({ id: "OidcTokenRequest" });

/** The query of `GET /api/v1/auth/oidc/start`. */
export interface OidcStartQuery {
  readonly redirect_uri: string;
  readonly state: string;
  readonly code_challenge: string;
}

export const oidcStartQuerySchema: z.ZodType<OidcStartQuery> = z.object({
  redirect_uri: z.string().min(1).max(512),
  state: z.string().regex(/^[\x21-\x7e]{1,512}$/, { message: "is not 1 to 512 printable ASCII characters" }),
  code_challenge: z.string().regex(/^[A-Za-z0-9_-]{43}$/, { message: "is not a S256 code challenge" }),
});

/** A sign-in on another device: show the user the code and where to type it, then poll. */
export interface DeviceStart {
  readonly deviceId: string;
  readonly userCode: string;
  readonly verificationUri: string;
  readonly verificationUriComplete?: string | undefined;
  readonly expiresAt: string;
  readonly intervalMs: number;
}

export const deviceStartSchema: z.ZodType<DeviceStart> = z
  .object({
    deviceId: z.string(),
    userCode: z.string(),
    verificationUri: z.string(),
    verificationUriComplete: z.string().optional(),
    expiresAt: timestampSchema,
    intervalMs: z.number(),
  })
  .meta({ id: "DeviceStart" });

export interface DeviceTokenRequest {
  readonly deviceId: string;
}

export const deviceTokenRequestSchema: z.ZodType<DeviceTokenRequest> = z
  .strictObject({ deviceId: z.string().min(1).max(256) })
  .meta({ id: "DeviceTokenRequest" });

/** The user has not decided yet: ask again after the interval. */
export interface DevicePending {
  readonly pending: true;
  readonly intervalMs: number;
}

export const devicePendingSchema: z.ZodType<DevicePending> = z
  .object({ pending: z.literal(true), intervalMs: z.number() })
  .meta({ id: "DevicePending" });

export const deviceAnswerSchema: z.ZodType<Session | DevicePending> = z.union([devicePendingSchema, sessionSchema]);

/** A form that the identity provider sends; RFC 6749 has the form of its refusals, too. */
export interface LogoutRequest {
  readonly logout_token: string;
}

export const logoutRequestSchema: z.ZodType<LogoutRequest> = z
  .object({ logout_token: z.string().min(1).max(16_384) })
  .meta({ id: "LogoutRequest" });
