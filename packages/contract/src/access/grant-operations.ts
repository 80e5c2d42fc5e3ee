import { z } from "zod";
import { defineOperations } from "../operation.ts";
import { accessBindingListSchema, createBindingRequestSchema, createdBindingSchema } from "./binding.ts";
import { explainRequestSchema, explanationSchema, whoCanAnswerSchema, whoCanRequestSchema } from "./explain.ts";
import { accessRoleListSchema, accessRoleSchema, putRoleRequestSchema } from "./role.ts";

export const grantOperations = defineOperations({
  listRoles: {
    method: "GET",
    path: "/api/v1/roles",
    summary: "All roles, the built-in ones first",
    success: { status: 200, description: "All roles", body: accessRoleListSchema },
    right: "list roles",
  },
  putRole: {
    method: "PUT",
    path: "/api/v1/roles/{name}",
    summary: "Make or replace a role",
    params: { name: z.string().describe("Name of the role") },
    request: putRoleRequestSchema,
    success: { status: 200, description: "The role", body: accessRoleSchema },
    errors: [
      "REQUEST_INVALID",
      "ROLE_INVALID",
      "ROLE_BUILT_IN",
      "DECLARED_READ_ONLY",
      "ACCESS_ESCALATION",
      "ACCESS_UNRECORDED",
    ],
    right: "update roles",
  },
  removeRole: {
    method: "DELETE",
    path: "/api/v1/roles/{name}",
    summary: "Remove a role that no binding names",
    params: { name: z.string().describe("Name of the role") },
    success: { status: 204, description: "Gone" },
    errors: ["ROLE_NOT_FOUND", "ROLE_BUILT_IN", "ROLE_IN_USE", "DECLARED_READ_ONLY"],
    right: "delete roles",
  },
  listBindings: {
    method: "GET",
    path: "/api/v1/bindings",
    summary: "All bindings",
    success: { status: 200, description: "Oldest first", body: accessBindingListSchema },
    right: "list bindings",
  },
  createBinding: {
    method: "POST",
    path: "/api/v1/bindings",
    summary: "Give someone a role on clusters",
    request: createBindingRequestSchema,
    success: { status: 201, description: "The binding, and what about it may be a slip", body: createdBindingSchema },
    errors: [
      "REQUEST_INVALID",
      "BINDING_INVALID",
      "BINDING_EXISTS",
      "ROLE_UNKNOWN",
      "ACCESS_ESCALATION",
      "ACCESS_UNRECORDED",
    ],
    right: "create bindings",
  },
  removeBinding: {
    method: "DELETE",
    path: "/api/v1/bindings/{id}",
    summary: "Take a role away",
    params: { id: z.string().describe("Id of the binding") },
    success: { status: 204, description: "Gone" },
    errors: ["BINDING_NOT_FOUND", "DECLARED_READ_ONLY", "ACCESS_LAST_ADMIN"],
    right: "delete bindings",
  },
  explainAccess: {
    method: "POST",
    path: "/api/v1/access/explain",
    summary: "Say whether someone may do something, and why",
    request: explainRequestSchema,
    success: { status: 200, description: "The decision and all bindings that were looked at", body: explanationSchema },
    errors: ["REQUEST_INVALID"],
    right: "list bindings, for questions about others",
  },
  whoCan: {
    method: "POST",
    path: "/api/v1/access/who-can",
    summary: "Say who may do something",
    request: whoCanRequestSchema,
    success: { status: 200, description: "Subjects and the bindings that allow it", body: whoCanAnswerSchema },
    errors: ["REQUEST_INVALID"],
    right: "list bindings",
  },
});
