import { FairleadError } from "@fairlead/kernel";

export function authRequired(): FairleadError {
  return new FairleadError({
    code: "AUTH_REQUIRED",
    message: "This needs a sign-in: the request carries no bearer token.",
    hint: "Run `fairlead login`, or send the header `Authorization: Bearer <token>`.",
    httpStatus: 401,
  });
}

export function authInvalid(): FairleadError {
  return new FairleadError({
    code: "AUTH_INVALID",
    message: "The hub doesn't know this bearer token.",
    hint: "Sign in again with `fairlead login`. A hub with a new data folder has a new token.",
    httpStatus: 401,
  });
}

export function authExpired(): FairleadError {
  return new FairleadError({
    code: "AUTH_EXPIRED",
    message: "The time of this bearer token is over.",
    hint: "Get the next one with the session's refresh token; when the session is over, or for a robot's token, sign in again.",
    httpStatus: 401,
  });
}

export function tooManyFailures(): FairleadError {
  return new FairleadError({
    code: "AUTH_TOO_MANY_FAILURES",
    message: "Too many sign-ins from this address have failed.",
    hint: "Wait a minute.",
    httpStatus: 429,
    retryable: true,
  });
}

export function accessDenied(who: string, what: string): FairleadError {
  return new FairleadError({
    code: "ACCESS_DENIED",
    message: `${who} may not ${what}.`,
    hint: "`fairlead access explain` says which role is missing; an admin of the hub can bind it.",
    httpStatus: 403,
  });
}

export function escalation(what: string): FairleadError {
  return new FairleadError({
    code: "ACCESS_ESCALATION",
    message: `Nobody can give rights that they don't have themselves: ${what}.`,
    hint: "Ask someone who has them.",
    httpStatus: 403,
  });
}

export function unrecorded(what: string): FairleadError {
  return new FairleadError({
    code: "ACCESS_UNRECORDED",
    message: `Nobody who is recorded can let the same be done unrecorded: ${what}.`,
    hint: "Bind it with `--record`, or ask someone who isn't recorded.",
    httpStatus: 403,
  });
}

export function lastAdmin(): FairleadError {
  return new FairleadError({
    code: "ACCESS_LAST_ADMIN",
    message: "This would leave nobody who is admin of all clusters.",
    hint: "Bind the role admin on all clusters to someone else first.",
    httpStatus: 409,
  });
}

export function roleInvalid(problem: string): FairleadError {
  return new FairleadError({
    code: "ROLE_INVALID",
    message: `This can't be a role: ${problem}.`,
    hint: "docs/access.md describes what a role may say.",
    httpStatus: 422,
  });
}

export function roleUnknown(name: string): FairleadError {
  return new FairleadError({
    code: "ROLE_UNKNOWN",
    message: `There is no role '${name}' to bind.`,
    hint: "`fairlead access roles` shows the ones there are.",
    httpStatus: 422,
  });
}

export function roleNotFound(): FairleadError {
  return new FairleadError({
    code: "ROLE_NOT_FOUND",
    message: "The hub knows no role of this name.",
    hint: "`fairlead access roles` shows the ones there are.",
    httpStatus: 404,
  });
}

export function roleBuiltIn(name: string): FairleadError {
  return new FairleadError({
    code: "ROLE_BUILT_IN",
    message: `The role ${name} is built in and stays as it is.`,
    hint: "Make a role of another name.",
    httpStatus: 409,
  });
}

export function roleInUse(name: string): FairleadError {
  return new FairleadError({
    code: "ROLE_IN_USE",
    message: `The role ${name} is bound.`,
    hint: "Remove its bindings first: `fairlead access bindings`.",
    httpStatus: 409,
  });
}

export function bindingInvalid(problem: string): FairleadError {
  return new FairleadError({
    code: "BINDING_INVALID",
    message: `This can't be bound: ${problem}.`,
    hint: "Bind a user or group of the identity provider, a robot, or admin-token 'admin'.",
    httpStatus: 422,
  });
}

export function bindingExists(id: string): FairleadError {
  return new FairleadError({
    code: "BINDING_EXISTS",
    message: `There is such a binding already: ${id}.`,
    hint: "To change whether it is recorded, remove it and make it again.",
    httpStatus: 409,
  });
}

export function bindingNotFound(): FairleadError {
  return new FairleadError({
    code: "BINDING_NOT_FOUND",
    message: "The hub knows no binding of this id.",
    hint: "`fairlead access bindings` shows the ones there are.",
    httpStatus: 404,
  });
}
