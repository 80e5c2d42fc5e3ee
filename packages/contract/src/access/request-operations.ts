import { z } from "zod";
import { defineOperations } from "../operation.ts";
import {
  accessRequestListSchema,
  accessRequestQuerySchema,
  accessRequestSchema,
  approveAccessRequestSchema,
  createAccessRequestSchema,
  denyAccessRequestSchema,
} from "./request.ts";

const params = { id: z.string().describe("ID of the access request") };

export const accessRequestOperations = defineOperations({
  createAccessRequest: {
    method: "POST",
    path: "/api/v1/access/requests",
    summary: "Request a role for a time",
    request: createAccessRequestSchema,
    success: { status: 201, description: "The pending request", body: accessRequestSchema },
    errors: ["REQUEST_INVALID", "ROLE_UNKNOWN", "ACCESS_REQUEST_USERS_ONLY", "ACCESS_REQUEST_TOO_MANY"],
  },
  listAccessRequests: {
    method: "GET",
    path: "/api/v1/access/requests",
    summary: "List one's own access requests, or all of them with the right to list bindings",
    query: accessRequestQuerySchema,
    success: { status: 200, description: "Newest first", body: accessRequestListSchema },
    errors: ["REQUEST_INVALID"],
  },
  getAccessRequest: {
    method: "GET",
    path: "/api/v1/access/requests/{id}",
    summary: "One access request",
    params,
    success: { status: 200, description: "The request", body: accessRequestSchema },
    errors: ["ACCESS_REQUEST_NOT_FOUND"],
  },
  approveAccessRequest: {
    method: "POST",
    path: "/api/v1/access/requests/{id}/approve",
    summary: "Grant another person's access request",
    params,
    request: approveAccessRequestSchema,
    isRequestOptional: true,
    success: { status: 200, description: "The approved request", body: accessRequestSchema },
    errors: [
      "REQUEST_INVALID",
      "ACCESS_REQUEST_NOT_FOUND",
      "ACCESS_REQUEST_ENDED",
      "ACCESS_REQUEST_OWN",
      "ACCESS_REQUEST_TOO_LONG",
      "BINDING_EXISTS",
      "ROLE_UNKNOWN",
      "ACCESS_ESCALATION",
      "ACCESS_UNRECORDED",
    ],
    right: "create bindings",
  },
  denyAccessRequest: {
    method: "POST",
    path: "/api/v1/access/requests/{id}/deny",
    summary: "Deny another person's access request",
    params,
    request: denyAccessRequestSchema,
    isRequestOptional: true,
    success: { status: 200, description: "The denied request", body: accessRequestSchema },
    errors: ["REQUEST_INVALID", "ACCESS_REQUEST_NOT_FOUND", "ACCESS_REQUEST_ENDED", "ACCESS_REQUEST_OWN"],
    right: "create bindings",
  },
  cancelAccessRequest: {
    method: "POST",
    path: "/api/v1/access/requests/{id}/cancel",
    summary: "Withdraw one's own access request",
    params,
    success: { status: 200, description: "The cancelled request", body: accessRequestSchema },
    errors: ["ACCESS_REQUEST_NOT_FOUND", "ACCESS_REQUEST_ENDED"],
  },
});
