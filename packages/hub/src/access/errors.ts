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
