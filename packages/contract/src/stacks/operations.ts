import { z } from "zod";
import { defineOperations } from "../operation.ts";
import { stackListQuerySchema, stackRunListQuerySchema } from "./query.ts";
import { createStackRunRequestSchema } from "./requests.ts";
import { stackDetailSchema, stackListSchema, stackRunDetailSchema, stackRunListSchema } from "./stack.ts";

export const stackOperations = defineOperations({
  listStacks: {
    method: "GET",
    path: "/api/v1/stacks",
    summary: "Stacks by name",
    query: stackListQuerySchema,
    success: { status: 200, description: "A page of stacks", body: stackListSchema },
    errors: ["STACK_REQUEST_INVALID"],
    right: "list stacks/{name}, for each stack that is shown",
  },
  getStack: {
    method: "GET",
    path: "/api/v1/stacks/{name}",
    summary: "One stack: what was asked for last of each of its resources, and what came of it",
    params: { name: z.string().describe("Name of the stack") },
    success: { status: 200, description: "The stack", body: stackDetailSchema },
    errors: ["STACK_NOT_FOUND"],
    right: "get stacks/{name}",
  },
  createStackRun: {
    method: "POST",
    path: "/api/v1/stacks/{name}/runs",
    summary: "Plan, apply or destroy a stack; one run of a stack is under way at a time",
    params: { name: z.string().describe("Name of the stack") },
    request: createStackRunRequestSchema,
    success: { status: 201, description: "The run; 200 for that of an earlier request", body: stackRunDetailSchema },
    errors: [
      "STACK_REQUEST_INVALID",
      "STACK_KIND_UNFIT",
      "STACK_ACTION_UNFIT",
      "STACK_RESOURCE_UNKNOWN",
      "STACK_CYCLE",
      "STACK_REFERENCE_INVALID",
      "STACK_OUTPUTS_MISSING",
      "STACK_OUTPUTS_ELSEWHERE",
      "STACK_TARGET_TWICE",
      "STACK_TARGET_TAKEN",
      "STACK_TOO_DEEP",
      "STACK_TOO_LARGE",
      "STACK_TOO_MANY",
      "STACK_BUSY",
      "STACK_IDEMPOTENCY_MISMATCH",
      "COMMAND_UNSIGNABLE",
      "COMMAND_SPEC_UNUSABLE",
    ],
    right: "apply or destroy stacks/{name}",
  },
  listStackRuns: {
    method: "GET",
    path: "/api/v1/stacks/{name}/runs",
    summary: "Runs of a stack, newest first",
    params: { name: z.string().describe("Name of the stack") },
    query: stackRunListQuerySchema,
    success: { status: 200, description: "A page of runs", body: stackRunListSchema },
    errors: ["STACK_REQUEST_INVALID", "STACK_NOT_FOUND"],
    right: "get stacks/{name}",
  },
  getStackRun: {
    method: "GET",
    path: "/api/v1/stacks/{name}/runs/{id}",
    summary: "One run of a stack with its steps",
    params: { name: z.string().describe("Name of the stack"), id: z.string().describe("Id of the run") },
    success: { status: 200, description: "The run", body: stackRunDetailSchema },
    errors: ["STACK_NOT_FOUND", "STACK_RUN_NOT_FOUND"],
    right: "get stacks/{name}",
  },
  cancelStackRun: {
    method: "POST",
    path: "/api/v1/stacks/{name}/runs/{id}/cancel",
    summary:
      "Begin nothing more of a run and cancel the commands that it has: gracefully at first, asked again at once",
    params: { name: z.string().describe("Name of the stack"), id: z.string().describe("Id of the run") },
    success: { status: 200, description: "The run", body: stackRunDetailSchema },
    errors: ["STACK_NOT_FOUND", "STACK_RUN_NOT_FOUND", "STACK_RUN_ENDED"],
    right: "apply or destroy stacks/{name}",
  },
});
