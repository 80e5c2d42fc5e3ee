import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  ACCESS_LAST_ADMIN: {
    httpStatus: 409,
    message: "This would leave nobody who is admin of all clusters.",
    hint: "Bind the role admin on all clusters to someone else first.",
    meaning: "A change would leave nobody bound to `admin` on all clusters.",
  },
  ROLE_INVALID: {
    httpStatus: 422,
    message: "This can't be a role: {problem}.",
    hint: "docs/access.md describes what a role may say.",
    meaning: "A role's name isn't a DNS label, or it names users or groups under `system:`.",
    remedy: "See [access.md](access.md).",
  },
  ROLE_UNKNOWN: {
    httpStatus: 422,
    message: "There is no role '{name}' to bind.",
    hint: "`fairlead access role list` shows the ones there are.",
    meaning: "A binding names a role that isn't there.",
    remedy: "`fairlead access role list` shows the names.",
  },
  ROLE_NOT_FOUND: {
    httpStatus: 404,
    message: "The hub knows no role of this name.",
    hint: "`fairlead access role list` shows the ones there are.",
    remedy: "`fairlead access role list` shows the names.",
  },
  ROLE_BUILT_IN: {
    httpStatus: 409,
    message: "The role {name} is built in and stays as it is.",
    hint: "Make a role of another name.",
    meaning: "`viewer`, `operator` and `admin` can't be changed or removed.",
  },
  ROLE_IN_USE: {
    httpStatus: 409,
    message: "The role {name} is bound.",
    hint: "Remove its bindings first: `fairlead access binding list`.",
    meaning: "A role that bindings name can't be removed.",
  },
  BINDING_INVALID: {
    httpStatus: 422,
    message: "This can't be bound: {problem}.",
    hint: "Bind a user or group of the identity provider, a robot, or admin-token 'admin'.",
    meaning: "A binding is for a name that belongs to clusters, such as `system:masters`.",
  },
  BINDING_EXISTS: {
    httpStatus: 409,
    message: "There is such a binding already: {id}.",
    hint: "To change whether it is recorded, remove it and make it again.",
    meaning: "The same subject has the same role on the same clusters already.",
    remedy: "Nothing to do; to change whether it is recorded, remove it and make it again.",
  },
  BINDING_NOT_FOUND: {
    httpStatus: 404,
    message: "The hub knows no binding of this id.",
    hint: "`fairlead access binding list` shows the ones there are.",
  },
} as const;

export const grantErrors: Errors<typeof table> = defineErrors(table);
