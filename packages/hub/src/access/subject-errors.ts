// What can be wrong with users, robots and their sessions.
import { FairleadError } from "@fairlead/kernel";

export function userNotFound(): FairleadError {
  return new FairleadError({
    code: "USER_NOT_FOUND",
    message: "Nobody of this name has signed in.",
    hint: "`fairlead access users` shows who has.",
    httpStatus: 404,
  });
}

export function userNameTaken(name: string): FairleadError {
  return new FairleadError({
    code: "USER_NAME_TAKEN",
    message: `The name ${name} belongs to another account of the identity provider.`,
    hint: "If it was given to someone else for good, an admin removes the former user: `fairlead access user remove`.",
    httpStatus: 409,
  });
}

export function robotExists(name: string): FairleadError {
  return new FairleadError({
    code: "ROBOT_EXISTS",
    message: `There is a robot named ${name} already.`,
    hint: "Choose another name, or make a token for the one that is there.",
    httpStatus: 409,
  });
}

export function robotNotFound(): FairleadError {
  return new FairleadError({
    code: "ROBOT_NOT_FOUND",
    message: "The hub knows no robot of this name.",
    hint: "`fairlead access robots` shows the ones there are.",
    httpStatus: 404,
  });
}

export function robotTokenNotFound(): FairleadError {
  return new FairleadError({
    code: "ROBOT_TOKEN_NOT_FOUND",
    message: "The robot has no token of this id.",
    hint: "`fairlead access robot show NAME` shows the ones it has.",
    httpStatus: 404,
  });
}

export function robotTokenTooLong(maxMs: number): FairleadError {
  return new FairleadError({
    code: "ROBOT_TOKEN_TOO_LONG",
    message: `A token for this may live for ${maxMs} milliseconds at most.`,
    hint: "Ask for a shorter life. The longest was set when the robot was made; a robot's own token is its limit, too.",
    httpStatus: 422,
  });
}

export function sessionNotFound(): FairleadError {
  return new FairleadError({
    code: "SESSION_NOT_FOUND",
    message: "There is no such session, or it isn't yours.",
    hint: "`fairlead access sessions` lists your own.",
    httpStatus: 404,
  });
}

export function sessionEnded(): FairleadError {
  return new FairleadError({
    code: "SESSION_ENDED",
    message: "This session is over.",
    hint: "Sign in again with `fairlead login`.",
    httpStatus: 401,
  });
}

export function sessionNeedsToken(): FairleadError {
  return new FairleadError({
    code: "SESSION_NEEDS_TOKEN",
    message: "A session begins with a long-lived token, not with another session's.",
    hint: "Send the admin's or a robot's token, or sign in by the identity provider.",
    httpStatus: 409,
  });
}

export function refreshInvalid(): FairleadError {
  return new FairleadError({
    code: "SESSION_REFRESH_INVALID",
    message: "The hub doesn't know this refresh token, or its session is over.",
    hint: "Sign in again with `fairlead login`.",
    httpStatus: 401,
  });
}

export function refreshReused(): FairleadError {
  return new FairleadError({
    code: "SESSION_REFRESH_REUSED",
    message: "This refresh token was used before: someone else may have it. The session was ended.",
    hint: "Sign in again with `fairlead login`. If you didn't share the session's file, look who could read it.",
    httpStatus: 401,
  });
}

export function requestInvalid(problems: string): FairleadError {
  return new FairleadError({
    code: "REQUEST_INVALID",
    message: `The request isn't what this call takes: ${problems}.`,
    hint: "The hub's OpenAPI document describes every call.",
    httpStatus: 400,
  });
}
