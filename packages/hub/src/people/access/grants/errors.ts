import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
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
    hint: "`fairlead access role list` shows the ones there are.",
  },
  ROLE_NOT_FOUND: {
    httpStatus: 404,
    message: "The hub knows no role of this name.",
    hint: "`fairlead access role list` shows the ones there are.",
  },
  ROLE_BUILT_IN: {
    httpStatus: 409,
    message: "The role {name} is built in and stays as it is.",
    hint: "Make a role of another name.",
  },
  ROLE_IN_USE: {
    httpStatus: 409,
    message: "The role {name} is bound.",
    hint: "Remove its bindings first: `fairlead access binding list`.",
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
    hint: "`fairlead access binding list` shows the ones there are.",
  },
} as const;

export const grantErrors: Errors<typeof table> = defineErrors(table);
