import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  AUTH_REQUIRED: {
    httpStatus: 401,
    message: "This needs a sign-in: the request carries no bearer token.",
    hint: "Run `fairlead login`, or send the header `Authorization: Bearer <token>`.",
  },
  AUTH_INVALID: {
    httpStatus: 401,
    message: "The hub doesn't know this bearer token.",
    hint: "Sign in again with `fairlead login`. A hub with a new data folder has a new token.",
  },
  AUTH_EXPIRED: {
    httpStatus: 401,
    message: "The time of this bearer token is over.",
    hint: "Get the next one with the session's refresh token; when the session is over, or for a robot's token, sign in again.",
  },
  AUTH_TOO_MANY_FAILURES: {
    httpStatus: 429,
    retryable: true,
    message: "Too many sign-ins from this address have failed.",
    hint: "Wait a minute.",
  },
  ACCESS_DENIED: {
    httpStatus: 403,
    message: "{who} may not {what}.",
    hint: "`fairlead access explain` says which role is missing; an admin of the hub can bind it.",
  },
  ACCESS_ESCALATION: {
    httpStatus: 403,
    message: "Nobody can give rights that they don't have themselves: {what}.",
    hint: "Ask someone who has them.",
  },
  ACCESS_UNRECORDED: {
    httpStatus: 403,
    message: "A user who is recorded can't let others do the same unrecorded: {what}.",
    hint: "Bind it with `--record`, or ask someone who isn't recorded.",
  },
  ACCESS_LAST_ADMIN: {
    httpStatus: 409,
    message: "This would leave nobody who is admin of all clusters.",
    hint: "Bind the role admin on all clusters to someone else first.",
  },
  ROLE_INVALID: {
    httpStatus: 422,
    message: "This can't be a role: {problem}.",
    hint: "docs/access.md describes what a role may say.",
  },
  ROLE_UNKNOWN: {
    httpStatus: 422,
    message: "There is no role '{name}' to bind.",
    hint: "`fairlead access roles` shows the ones there are.",
  },
  ROLE_NOT_FOUND: {
    httpStatus: 404,
    message: "The hub knows no role of this name.",
    hint: "`fairlead access roles` shows the ones there are.",
  },
  ROLE_BUILT_IN: {
    httpStatus: 409,
    message: "The role {name} is built in and stays as it is.",
    hint: "Make a role of another name.",
  },
  ROLE_IN_USE: {
    httpStatus: 409,
    message: "The role {name} is bound.",
    hint: "Remove its bindings first: `fairlead access bindings`.",
  },
  BINDING_INVALID: {
    httpStatus: 422,
    message: "This can't be bound: {problem}.",
    hint: "Bind a user or group of the identity provider, a robot, or admin-token 'admin'.",
  },
  BINDING_EXISTS: {
    httpStatus: 409,
    message: "There is such a binding already: {id}.",
    hint: "To change whether it is recorded, remove it and make it again.",
  },
  BINDING_NOT_FOUND: {
    httpStatus: 404,
    message: "The hub knows no binding of this id.",
    hint: "`fairlead access bindings` shows the ones there are.",
  },
} as const;

export const accessErrors: Errors<typeof table> = defineErrors(table);
