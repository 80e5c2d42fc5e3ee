import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  ACCESS_LAST_ADMIN: {
    httpStatus: 409,
    message: "This change removes the last admin of all clusters.",
    hint: "Bind the role admin on all clusters to another user first.",
    meaning: "The change removes the last binding of `admin` on all clusters.",
  },
  ROLE_INVALID: {
    httpStatus: 422,
    message: "The role is invalid: {problem}.",
    hint: "See docs/access.md for the fields of a role.",
    meaning: "A role's name isn't a DNS label, or it names users or groups under `system:`.",
    remedy: "See [access.md](access.md).",
  },
  ROLE_UNKNOWN: {
    httpStatus: 422,
    message: "The binding names the role '{name}', which doesn't exist.",
    hint: "List the roles: `fairlead access role list`.",
    meaning: "A binding names a role that doesn't exist.",
  },
  ROLE_NOT_FOUND: {
    httpStatus: 404,
    message: "The hub has no role with this name.",
    hint: "List the roles: `fairlead access role list`.",
  },
  ROLE_BUILT_IN: {
    httpStatus: 409,
    message: "The role {name} is built in and can't be changed or removed.",
    hint: "Create a role with another name.",
    meaning: "`viewer`, `operator` and `admin` can't be changed or removed.",
  },
  ROLE_IN_USE: {
    httpStatus: 409,
    message: "The role {name} is in use by bindings.",
    hint: "Remove its bindings first: `fairlead access binding list`.",
    meaning: "Bindings use the role, so it can't be removed.",
  },
  BINDING_INVALID: {
    httpStatus: 422,
    message: "The binding is invalid: {problem}.",
    hint: "Bind a user or group of the identity provider, a robot, or admin-token 'admin'.",
    meaning: "The subject of the binding has a name that is reserved for clusters, such as `system:masters`.",
  },
  BINDING_EXISTS: {
    httpStatus: 409,
    message: "The same binding already exists: {id}.",
    hint: "To change whether its sessions are recorded, delete the binding and create it again.",
    meaning: "The same subject already has the same role on the same clusters.",
    remedy: "No action needed. To change whether its sessions are recorded, delete the binding and create it again.",
  },
  BINDING_NOT_FOUND: {
    httpStatus: 404,
    message: "The hub has no binding with this ID.",
    hint: "List the bindings: `fairlead access binding list`.",
  },
} as const;

export const grantErrors: Errors<typeof table> = defineErrors(table);
