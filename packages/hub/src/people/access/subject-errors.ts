// Errors about users, robots and their sessions.
import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  USER_NOT_FOUND: {
    httpStatus: 404,
    message: "Nobody of this name has signed in.",
    hint: "`fairlead access users` shows who has.",
  },
  USER_NAME_TAKEN: {
    httpStatus: 409,
    message: "The name {name} belongs to another account of the identity provider.",
    hint: "If it was given to someone else for good, an admin removes the former user: `fairlead access user remove`.",
  },
  ROBOT_EXISTS: {
    httpStatus: 409,
    message: "There is a robot named {name} already.",
    hint: "Choose another name, or make a token for the one that is there.",
  },
  ROBOT_NOT_FOUND: {
    httpStatus: 404,
    message: "The hub knows no robot of this name.",
    hint: "`fairlead access robots` shows the ones there are.",
  },
  ROBOT_TOKEN_NOT_FOUND: {
    httpStatus: 404,
    message: "The robot has no token of this id.",
    hint: "`fairlead access robot show NAME` shows the ones it has.",
  },
  ROBOT_TOKEN_TOO_LONG: {
    httpStatus: 422,
    message: "A token for this may live for {maxMs} milliseconds at most.",
    hint: "Ask for a shorter life. The longest was set when the robot was made; a robot's own token is its limit, too.",
  },
  SESSION_NOT_FOUND: {
    httpStatus: 404,
    message: "There is no such session, or it isn't yours.",
    hint: "`fairlead access sessions` lists your own.",
  },
  SESSION_ENDED: { httpStatus: 401, message: "This session is over.", hint: "Sign in again with `fairlead login`." },
  SESSION_NEEDS_TOKEN: {
    httpStatus: 409,
    message: "A session begins with a long-lived token, not with another session's.",
    hint: "Send the admin's or a robot's token, or sign in by the identity provider.",
  },
  SESSION_REFRESH_INVALID: {
    httpStatus: 401,
    message: "The hub doesn't know this refresh token, or its session is over.",
    hint: "Sign in again with `fairlead login`.",
  },
  SESSION_REFRESH_REUSED: {
    httpStatus: 401,
    message: "This refresh token was used before: someone else may have it. The session was ended.",
    hint: "Sign in again with `fairlead login`. If you didn't share the session's file, look who could read it.",
  },
  REQUEST_INVALID: {
    httpStatus: 400,
    message: "The request isn't what this call takes: {problems}.",
    hint: "The hub's OpenAPI document describes every call.",
  },
} as const;

export const subjectErrors: Errors<typeof table> = defineErrors(table);
