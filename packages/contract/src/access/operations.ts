import type { Operation } from "../old-operation.ts";
import { accessBindingListSchema, createBindingRequestSchema, createdBindingSchema } from "./binding.ts";
import { explainRequestSchema, explanationSchema, whoCanAnswerSchema, whoCanRequestSchema } from "./explain.ts";
import { authMethodsSchema } from "./oidc.ts";
import { accessPaths as paths } from "./paths.ts";
import {
  createRobotRequestSchema,
  createRobotTokenRequestSchema,
  newRobotTokenSchema,
  robotListSchema,
  robotSchema,
} from "./robot.ts";
import { accessRoleListSchema, accessRoleSchema, putRoleRequestSchema } from "./role.ts";
import { signInOperations } from "./sign-in-operations.ts";
import { userListSchema } from "./user.ts";

type Rest = Pick<Operation, "request" | "query" | "success">;

export const accessOperations: readonly Operation[] = [
  ...signInOperations,
  signedIn("listRobots", "get", paths.robots, "All robots and their tokens", {
    success: { status: 200, description: "By name", body: robotListSchema },
  }),
  signedIn("createRobot", "post", paths.robots, "Make a robot; it has no rights until it is bound", {
    request: createRobotRequestSchema,
    success: { status: 201, description: "The robot", body: robotSchema },
  }),
  signedIn("getRobot", "get", "/api/v1/robots/{name}", "One robot and its tokens", {
    success: { status: 200, description: "The robot", body: robotSchema },
  }),
  signedIn(
    "removeRobot",
    "delete",
    "/api/v1/robots/{name}",
    "Remove a robot, its tokens, sessions and bindings",
    gone(),
  ),
  signedIn("createRobotToken", "post", "/api/v1/robots/{name}/tokens", "Make a token for a robot", {
    request: createRobotTokenRequestSchema,
    success: { status: 201, description: "The token, shown this once", body: newRobotTokenSchema },
  }),
  signedIn(
    "revokeRobotToken",
    "delete",
    "/api/v1/robots/{name}/tokens/{id}",
    "Revoke a robot's token and the sessions that it began",
    gone(),
  ),
  signedIn("listUsers", "get", paths.users, "Who has signed in by the identity provider", {
    success: { status: 200, description: "By name", body: userListSchema },
  }),
  signedIn("removeUser", "delete", "/api/v1/users/{name}", "Remove a user, their sessions and direct bindings", gone()),
  signedIn("signOutUser", "post", "/api/v1/users/{name}/sign-out", "End all sessions of a user", gone("Signed out")),
  signedIn("listRoles", "get", paths.accessRoles, "All roles, the built-in ones first", {
    success: { status: 200, description: "All roles", body: accessRoleListSchema },
  }),
  signedIn("putRole", "put", "/api/v1/roles/{name}", "Make or replace a role", {
    request: putRoleRequestSchema,
    success: { status: 200, description: "The role", body: accessRoleSchema },
  }),
  signedIn("removeRole", "delete", "/api/v1/roles/{name}", "Remove a role that no binding names", gone()),
  signedIn("listBindings", "get", paths.bindings, "All bindings", {
    success: { status: 200, description: "Oldest first", body: accessBindingListSchema },
  }),
  signedIn("createBinding", "post", paths.bindings, "Give someone a role on clusters", {
    request: createBindingRequestSchema,
    success: { status: 201, description: "The binding, and what about it may be a slip", body: createdBindingSchema },
  }),
  signedIn("removeBinding", "delete", "/api/v1/bindings/{id}", "Take a role away", gone()),
  signedIn("explainAccess", "post", paths.accessExplain, "Say whether someone may do something, and why", {
    request: explainRequestSchema,
    success: { status: 200, description: "The decision and all bindings that were looked at", body: explanationSchema },
  }),
  signedIn("whoCan", "post", paths.accessWhoCan, "Say who may do something", {
    request: whoCanRequestSchema,
    success: { status: 200, description: "Subjects and the bindings that allow it", body: whoCanAnswerSchema },
  }),
  {
    id: "authMethods",
    method: "get",
    path: paths.authMethods,
    summary: "How one may sign in",
    needsToken: false,
    success: { status: 200, description: "The ways", body: authMethodsSchema },
  },
];

function signedIn(id: string, method: Operation["method"], path: string, summary: string, rest: Rest): Operation {
  return { id, method, path, summary, needsToken: true, ...rest };
}

function gone(description = "Gone"): Rest {
  return { success: { status: 204, description } };
}
