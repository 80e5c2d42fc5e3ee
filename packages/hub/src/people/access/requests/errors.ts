import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  ACCESS_REQUEST_NOT_FOUND: {
    httpStatus: 404,
    message: "The hub has no access request with this ID.",
    hint: "List the access requests that you can see: `fairlead access request list`.",
    meaning: "No access request has this ID, or it belongs to another user and the caller can't list bindings.",
  },
  ACCESS_REQUEST_ENDED: {
    httpStatus: 409,
    message: "The access request was {state}, so it can't be changed.",
    hint: "Create a new request.",
    meaning: "The access request was approved, denied or cancelled, or has expired, so it can't be changed.",
    remedy: "Create a new request.",
  },
  ACCESS_REQUEST_OWN: {
    httpStatus: 403,
    message: "You can't approve or deny your own access request.",
    hint: "Ask another user to decide it, or cancel it.",
    meaning: "The requester, or a robot that the requester created, tries to approve or deny the request.",
    remedy: "Ask another user to decide the request.",
  },
  ACCESS_REQUEST_TOO_LONG: {
    httpStatus: 422,
    message: "The role was requested for {maxMs} milliseconds and can't be granted for longer.",
    hint: "Grant it for a shorter time.",
    meaning: "The approval grants the role for longer than requested.",
    remedy: "Approve the request without `--for`, or with a shorter time.",
  },
  ACCESS_REQUEST_TOO_MANY: {
    httpStatus: 429,
    message: "Too many access requests are pending ({max} {whose}).",
    hint: "Cancel requests that you don't need, or wait until pending requests are decided.",
    meaning: "A user has 10 pending access requests, or all users together have 1,000.",
    remedy: "Cancel requests that aren't needed, or wait until pending requests are decided.",
  },
  ACCESS_REQUEST_USERS_ONLY: {
    httpStatus: 403,
    message: "Only users of the identity provider can request a role.",
    hint: "Bind the role instead: `fairlead access binding create`.",
    meaning: "A robot or the admin token requested a role.",
    remedy: "Request the role as a user, or bind the role to the robot.",
  },
} as const;

export const accessRequestErrors: Errors<typeof table> = defineErrors(table);
