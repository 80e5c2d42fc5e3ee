import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  ACCESS_REQUEST_NOT_FOUND: {
    httpStatus: 404,
    message: "The hub knows no access request of this ID.",
    hint: "`fairlead access request list` shows the requests that you can see.",
    meaning: "No access request has this ID, or it belongs to somebody else and the caller can't list bindings.",
  },
  ACCESS_REQUEST_ENDED: {
    httpStatus: 409,
    message: "The access request was {state}, so it can't change any more.",
    hint: "Create a new request.",
    meaning: "An access request was approved, denied, cancelled or has expired, so nothing about it can change.",
    remedy: "The user creates a new request.",
  },
  ACCESS_REQUEST_OWN: {
    httpStatus: 403,
    message: "Nobody can decide their own access request.",
    hint: "Ask somebody else to decide it, or cancel it.",
    meaning: "The requester, or a robot that the requester made, approves or denies the requester's own request.",
    remedy: "Ask somebody else to decide the request.",
  },
  ACCESS_REQUEST_TOO_LONG: {
    httpStatus: 422,
    message: "The role was requested for {maxMs} milliseconds, so it can't be granted for longer.",
    hint: "Grant it for a shorter time.",
    meaning: "An approval grants a role for longer than the user asked for.",
    remedy: "Approve the request without `--for`, or with a shorter time.",
  },
  ACCESS_REQUEST_TOO_MANY: {
    httpStatus: 429,
    message: "Too many access requests are pending ({max} {whose}).",
    hint: "Cancel requests that you don't need, or wait until somebody decides them.",
    meaning: "A user has 10 pending access requests, or all users together have 1,000.",
    remedy: "Cancel requests that nobody needs, or wait until somebody decides them.",
  },
  ACCESS_REQUEST_USERS_ONLY: {
    httpStatus: 403,
    message: "Only users of the identity provider can request a role.",
    hint: "Bind the role instead: `fairlead access binding create`.",
    meaning: "A robot or the admin token requests a role.",
    remedy: "A user makes the request, or somebody binds the role to the robot.",
  },
} as const;

export const accessRequestErrors: Errors<typeof table> = defineErrors(table);
