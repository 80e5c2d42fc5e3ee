import { z } from "zod";
import { defineOperations } from "../operation.ts";
import {
  authMethodsSchema,
  deviceAnswerSchema,
  deviceStartSchema,
  deviceTokenRequestSchema,
  logoutRequestSchema,
  oidcStartQuerySchema,
  oidcTokenRequestSchema,
} from "./oidc.ts";
import { refreshSessionRequestSchema, sessionListSchema, sessionSchema } from "./session.ts";

/** The hub ignores parameters that it does not know. */
const sessionListQuerySchema = z.object({
  user: z.string().optional().describe("Only sessions of the user with this name (default: the caller's own sessions)"),
});

export const signInOperations = defineOperations({
  authMethods: {
    method: "GET",
    path: "/api/v1/auth/methods",
    summary: "How one may sign in",
    isOpen: true,
    success: { status: 200, description: "The ways", body: authMethodsSchema },
  },
  createSession: {
    method: "POST",
    path: "/api/v1/sessions",
    summary: "Exchange a long-lived token (admin, robot) for a session",
    success: { status: 201, description: "The session; its tokens are shown this once", body: sessionSchema },
    errors: ["SESSION_NEEDS_TOKEN"],
  },
  refreshSession: {
    method: "POST",
    path: "/api/v1/sessions/refresh",
    summary: "Exchange a refresh token for the next pair of tokens",
    isOpen: true,
    request: refreshSessionRequestSchema,
    success: { status: 200, description: "The session with new tokens", body: sessionSchema },
    errors: [
      "REQUEST_INVALID",
      "SESSION_REFRESH_INVALID",
      "SESSION_REFRESH_REUSED",
      "SESSION_ENDED",
      "AUTH_TOO_MANY_FAILURES",
    ],
  },
  endCurrentSession: {
    method: "DELETE",
    path: "/api/v1/sessions/current",
    summary: "Sign out",
    success: { status: 204, description: "Signed out" },
    errors: ["SESSION_NOT_FOUND"],
  },
  listSessions: {
    method: "GET",
    path: "/api/v1/sessions",
    summary: "One's own sessions, or a user's",
    query: sessionListQuerySchema,
    success: { status: 200, description: "Newest first", body: sessionListSchema },
    errors: ["REQUEST_INVALID"],
    right: "list sessions, for those of others",
  },
  endSession: {
    method: "DELETE",
    path: "/api/v1/sessions/{id}",
    summary: "End a session, one's own or, for admins, anyone's",
    params: { id: z.string().describe("Id of the session") },
    success: { status: 204, description: "Ended" },
    errors: ["SESSION_NOT_FOUND"],
    right: "delete sessions, for those of others",
  },
  exchangeOidcCode: {
    method: "POST",
    path: "/api/v1/auth/oidc/token",
    summary: "Exchange the code of a sign-in for a session",
    isOpen: true,
    request: oidcTokenRequestSchema,
    success: { status: 200, description: "The session", body: sessionSchema },
    errors: ["REQUEST_INVALID", "AUTH_OIDC_OFF", "AUTH_OIDC_CODE_INVALID", "AUTH_TOO_MANY_FAILURES"],
  },
  startDevice: {
    method: "POST",
    path: "/api/v1/auth/oidc/device",
    summary: "Begin a sign-in that is finished in a browser elsewhere",
    isOpen: true,
    success: { status: 200, description: "The code to type there", body: deviceStartSchema },
    errors: ["AUTH_OIDC_OFF", "AUTH_OIDC_DEVICE_UNSUPPORTED", "AUTH_OIDC_UNAVAILABLE", "AUTH_TOO_MANY_FAILURES"],
  },
  pollDevice: {
    method: "POST",
    path: "/api/v1/auth/oidc/device/token",
    summary: "Ask whether that sign-in is finished",
    isOpen: true,
    request: deviceTokenRequestSchema,
    success: { status: 200, description: "The session; or, with status 202, still pending", body: deviceAnswerSchema },
    errors: [
      "REQUEST_INVALID",
      "AUTH_OIDC_OFF",
      "AUTH_OIDC_DEVICE_ENDED",
      "AUTH_OIDC_REFUSED",
      "AUTH_OIDC_ANSWER_INVALID",
      "AUTH_OIDC_USER_REFUSED",
      "AUTH_OIDC_UNAVAILABLE",
      "AUTH_TOO_MANY_FAILURES",
    ],
  },
});

/** Browsers and identity providers call these; the client has no calls for them. */
export const browserOperations = defineOperations({
  startOidc: {
    method: "GET",
    path: "/api/v1/auth/oidc/start",
    summary: "Begin a sign-in by the identity provider, in a browser",
    isOpen: true,
    query: oidcStartQuerySchema,
    success: { status: 302, description: "On to the identity provider" },
    errors: [
      "REQUEST_INVALID",
      "AUTH_OIDC_OFF",
      "AUTH_OIDC_REDIRECT_REFUSED",
      "AUTH_OIDC_UNAVAILABLE",
      "AUTH_TOO_MANY_FAILURES",
    ],
  },
  finishOidc: {
    method: "GET",
    path: "/api/v1/auth/oidc/callback",
    summary: "Where the identity provider sends the browser back to",
    isOpen: true,
    success: { status: 302, description: "On to the redirect_uri with `code` and `state`, or with `error`" },
    errors: ["AUTH_OIDC_OFF", "AUTH_OIDC_FLOW_UNKNOWN", "AUTH_TOO_MANY_FAILURES"],
  },
  endSessionsByProvider: {
    method: "POST",
    path: "/api/v1/auth/oidc/backchannel-logout",
    summary: "Where the identity provider says that someone signed out there (OpenID Connect Back-Channel Logout 1.0)",
    isOpen: true,
    request: logoutRequestSchema,
    requestContentType: "application/x-www-form-urlencoded",
    success: { status: 200, description: "The sessions that it names are over" },
  },
});
