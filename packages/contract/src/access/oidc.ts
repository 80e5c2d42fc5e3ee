import { z } from "zod";
import type { Infer } from "../infer.ts";
import { timestampSchema } from "../primitives.ts";
import { sessionSchema } from "./session.ts";

export const authMethodsSchema = z
  .object({
    token: z.boolean().describe("Whether users and robots can sign in with a long-lived token"),
    oidc: z
      .object({
        issuer: z.string().describe("Issuer URL of the identity provider"),
        name: z.string().describe("Name of the identity provider, for the label of a button"),
        deviceFlow: z.boolean().describe("Whether a sign-in can be finished in a browser on another device"),
      })
      .optional()
      .describe("Sign-in with an identity provider (OpenID Connect). Absent when the hub has none"),
  })
  .meta({ id: "AuthMethods", description: "Ways to sign in to this hub" });
export type AuthMethods = Infer<typeof authMethodsSchema>;

// PKCE (RFC 7636, S256) proves that the client which started the code flow also ends it.
export const oidcTokenRequestSchema = z
  .strictObject({
    code: z.string().min(1).max(256).describe("Code that the browser brought back to the redirect URI. It works once"),
    codeVerifier: z
      .string()
      .regex(/^[A-Za-z0-9._~-]{43,128}$/, { message: "is not a code verifier" })
      .describe("Code verifier (RFC 7636) whose S256 challenge started the sign-in"),
  })
  .meta({ id: "OidcTokenRequest", description: "Exchanges the code of a browser sign-in for a session" });
export type OidcTokenRequest = Infer<typeof oidcTokenRequestSchema>;

/** The query of `GET /api/v1/auth/oidc/start`. */
export const oidcStartQuerySchema = z.object({
  redirect_uri: z
    .string()
    .min(1)
    .max(512)
    .describe("URI that the browser is sent to after the sign-in: a loopback address, or one of the hub's own"),
  state: z
    .string()
    .regex(/^[\x21-\x7e]{1,512}$/, { message: "is not 1 to 512 printable ASCII characters" })
    .describe("Value of the client that comes back unchanged at the redirect URI"),
  code_challenge: z
    .string()
    .regex(/^[A-Za-z0-9_-]{43}$/, { message: "is not a S256 code challenge" })
    .describe("S256 challenge of the code verifier (RFC 7636)"),
});
export type OidcStartQuery = Infer<typeof oidcStartQuerySchema>;

export const deviceStartSchema = z
  .object({
    deviceId: z.string().describe("ID of this sign-in, for polling. It is a secret of the client"),
    userCode: z.string().describe("Code that the user types at `verificationUri`"),
    verificationUri: z.string().describe("Page of the identity provider at which the user types the code"),
    verificationUriComplete: z
      .string()
      .optional()
      .describe("The same page with the code filled in. Absent when the identity provider has none"),
    expiresAt: timestampSchema.describe("RFC 3339 time at which the code expires"),
    intervalMs: z.number().describe("Time to wait between two polls, in milliseconds"),
  })
  .meta({
    id: "DeviceStart",
    description: "A sign-in on another device: show the user the code and the page, then poll",
  });
export type DeviceStart = Infer<typeof deviceStartSchema>;

export const deviceTokenRequestSchema = z
  .strictObject({
    deviceId: z.string().min(1).max(256).describe("ID of the sign-in, as the answer to its start says"),
  })
  .meta({ id: "DeviceTokenRequest", description: "Asks whether a sign-in on another device is finished" });
export type DeviceTokenRequest = Infer<typeof deviceTokenRequestSchema>;

export const devicePendingSchema = z
  .object({
    pending: z.literal(true).describe("Always true: the user hasn't finished the sign-in yet"),
    intervalMs: z.number().describe("Time to wait before the next poll, in milliseconds"),
  })
  .meta({ id: "DevicePending", description: "A sign-in that is still pending: poll again after the interval" });
export type DevicePending = Infer<typeof devicePendingSchema>;

export const deviceAnswerSchema = z.union([devicePendingSchema, sessionSchema]);

export const logoutRequestSchema = z
  .object({
    logout_token: z
      .string()
      .min(1)
      .max(16_384)
      .describe("Logout token (JWT) of the identity provider, which names the user or the session"),
  })
  .meta({
    id: "LogoutRequest",
    description: "Form by which the identity provider reports a sign-out (OpenID Connect Back-Channel Logout 1.0)",
  });
export type LogoutRequest = Infer<typeof logoutRequestSchema>;
