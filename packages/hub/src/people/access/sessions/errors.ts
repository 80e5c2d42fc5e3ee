import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  SESSION_NOT_FOUND: {
    httpStatus: 404,
    message: "You have no session with this ID.",
    hint: "List your sessions: `fairlead access session list`.",
    meaning: "The session doesn't exist, or it belongs to another user.",
  },
  SESSION_ENDED: {
    httpStatus: 401,
    message: "The session has ended.",
    hint: "Sign in again: `fairlead login`.",
    meaning: "The session has expired, or it ended while it was being refreshed.",
  },
  SESSION_NEEDS_TOKEN: {
    httpStatus: 409,
    message: "A session can't be created with another session's token.",
    hint: "Send the admin token or a robot's token, or sign in through the identity provider.",
    meaning: "A session was requested with another session's token instead of a long-lived one.",
  },
  SESSION_REFRESH_INVALID: {
    httpStatus: 401,
    message: "The refresh token is unknown, or its session has ended.",
    hint: "Sign in again: `fairlead login`.",
  },
  SESSION_REFRESH_REUSED: {
    httpStatus: 401,
    message: "The refresh token was used twice, so another user may have it. The hub ended the session.",
    hint: "Sign in again: `fairlead login`. If you didn't share the session file, find out who could read it.",
    meaning:
      "A refresh token was used again more than a minute after its first use, or the session was refreshed far more often than a client does. The hub ended the session, because another user may have the token.",
  },
} as const;

export const signInErrors: Errors<typeof table> = defineErrors(table);
