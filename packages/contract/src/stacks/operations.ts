import type { Operation } from "../old-operation.ts";
import { createStackRunRequestSchema } from "./requests.ts";
import { stackDetailSchema, stackListSchema, stackRunDetailSchema, stackRunListSchema } from "./stack.ts";

const common = { method: "get", needsToken: true } as const;

export const stackOperations: readonly Operation[] = [
  {
    ...common,
    id: "listStacks",
    path: "/api/v1/stacks",
    summary: "Stacks by name",
    query: { limit: "Items on a page, at most 500; 100 unless told", cursor: "The `next` of the page before" },
    success: { status: 200, description: "A page of stacks", body: stackListSchema },
  },
  {
    ...common,
    id: "getStack",
    path: "/api/v1/stacks/{name}",
    summary: "One stack: what was asked for last of each of its resources, and what came of it",
    success: { status: 200, description: "The stack", body: stackDetailSchema },
  },
  {
    ...common,
    id: "createStackRun",
    method: "post",
    path: "/api/v1/stacks/{name}/runs",
    summary: "Plan, apply or destroy a stack; one run of a stack is under way at a time",
    request: createStackRunRequestSchema,
    success: { status: 201, description: "The run; 200 for that of an earlier request", body: stackRunDetailSchema },
  },
  {
    ...common,
    id: "listStackRuns",
    path: "/api/v1/stacks/{name}/runs",
    summary: "Runs of a stack, newest first",
    query: { limit: "Items on a page, at most 100; 20 unless told", cursor: "The `next` of the page before" },
    success: { status: 200, description: "A page of runs", body: stackRunListSchema },
  },
  {
    ...common,
    id: "getStackRun",
    path: "/api/v1/stacks/{name}/runs/{id}",
    summary: "One run of a stack with its steps",
    success: { status: 200, description: "The run", body: stackRunDetailSchema },
  },
  {
    ...common,
    id: "cancelStackRun",
    method: "post",
    path: "/api/v1/stacks/{name}/runs/{id}/cancel",
    summary:
      "Begin nothing more of a run and cancel the commands that it has: gracefully at first, asked again at once",
    success: { status: 200, description: "The run", body: stackRunDetailSchema },
  },
];
