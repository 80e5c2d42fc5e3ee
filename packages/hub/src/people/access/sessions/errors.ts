import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  SESSION_NOT_FOUND: {
    httpStatus: 404,
    message: "There is no such session, or it isn't yours.",
    hint: "`fairlead access session list` lists your own.",
    meaning: "There is no such session, or it is someone else's.",
  },
  SESSION_ENDED: {
    httpStatus: 401,
    message: "This session is over.",
    hint: "Sign in again with `fairlead login`.",
    meaning: "The session's time is over, or it ended while it was being refreshed.",
  },
  SESSION_NEEDS_TOKEN: {
    httpStatus: 409,
    message: "A session begins with a long-lived token, not with another session's.",
    hint: "Send the admin's or a robot's token, or sign in by the identity provider.",
    meaning: "A session was asked for with another session's token.",
  },
  SESSION_REFRESH_INVALID: {
    httpStatus: 401,
    message: "The hub doesn't know this refresh token, or its session is over.",
    hint: "Sign in again with `fairlead login`.",
  },
  SESSION_REFRESH_REUSED: {
    httpStatus: 401,
    message: "This refresh token was used before: someone else may have it. The session was ended.",
    hint: "Sign in again with `fairlead login`. If you didn't share the session's file, find out who could read it.",
    meaning:
      "A refresh token came again more than a minute after it was used, or the session was renewed far more often than a client does. The session was ended, because somebody else may have the token.",
  },
} as const;

export const signInErrors: Errors<typeof table> = defineErrors(table);
