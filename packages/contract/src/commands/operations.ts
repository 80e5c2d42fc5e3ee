import type { Operation } from "../old-operation.ts";
import { approveCommandRequestSchema, approvePlanningRequestSchema, rejectCommandRequestSchema } from "./approval.ts";
import { commandDetailSchema, commandListSchema, commandSchema } from "./command.ts";
import { commandKeyListSchema } from "./keys.ts";
import { createCommandRequestSchema, retryCommandRequestSchema } from "./requests.ts";

const common = { method: "get", needsToken: true } as const;

export const commandOperations: readonly Operation[] = [
  {
    ...common,
    id: "createCommand",
    method: "post",
    path: "/api/v1/commands",
    summary: "Ask a cluster to do something; with the idempotency key of an earlier request, its command",
    request: createCommandRequestSchema,
    success: {
      status: 201,
      description: "The command, queued; 200 for that of an earlier request",
      body: commandSchema,
    },
  },
  {
    ...common,
    id: "listCommands",
    path: "/api/v1/commands",
    summary: "Commands, newest first",
    query: {
      cluster: "Only of these clusters, separated by commas",
      state: "Only in these states, separated by commas",
      kind: "Only of these kinds, separated by commas",
      requester: "Only what this one asked for",
      limit: "Items on a page, at most 500; 100 unless told",
      cursor: "The `next` of the page before",
    },
    success: { status: 200, description: "A page of commands", body: commandListSchema },
  },
  {
    ...common,
    id: "getCommand",
    path: "/api/v1/commands/{id}",
    summary: "One command with its result and its history",
    success: { status: 200, description: "The command", body: commandDetailSchema },
  },
  {
    ...common,
    id: "cancelCommand",
    method: "post",
    path: "/api/v1/commands/{id}/cancel",
    summary: "Cancel a command: gracefully at first, asked again at once",
    success: { status: 200, description: "The command, cancelled or to be cancelled", body: commandSchema },
  },
  {
    ...common,
    id: "retryCommand",
    method: "post",
    path: "/api/v1/commands/{id}/retry",
    summary: "Ask for the same again after a command that didn't succeed",
    request: retryCommandRequestSchema,
    success: { status: 201, description: "A new command; 200 for that of an earlier request", body: commandSchema },
  },
  {
    ...common,
    id: "approveCommand",
    method: "post",
    path: "/api/v1/commands/{id}/approve",
    summary: "Approve the plan of a command that waits for it, named by its digest",
    request: approveCommandRequestSchema,
    success: { status: 200, description: "The command, approved or waiting for more approvals", body: commandSchema },
  },
  {
    ...common,
    id: "approvePlanning",
    method: "post",
    path: "/api/v1/commands/{id}/approve-plan",
    summary: "Approve that a held-back proposal is planned; needs the right to create such commands",
    request: approvePlanningRequestSchema,
    success: { status: 200, description: "The command, queued to be planned", body: commandSchema },
  },
  {
    ...common,
    id: "rejectCommand",
    method: "post",
    path: "/api/v1/commands/{id}/reject",
    summary: "Reject the plan of a command that waits for approval, and so end it",
    request: rejectCommandRequestSchema,
    success: { status: 200, description: "The command, rejected", body: commandSchema },
  },
  {
    ...common,
    id: "readCommandLog",
    path: "/api/v1/commands/{id}/log",
    summary: "A command's log from an offset on; without `follow` the header `fairlead-log-next` has where to go on",
    query: {
      offset: "Of the first byte that is wanted; 0 unless told",
      follow: "`true`: goes on as the log grows, and ends with the command",
    },
    success: { status: 200, description: "The log's bytes", contentType: "text/plain" },
  },
  {
    ...common,
    id: "listCommandKeys",
    path: "/api/v1/command-keys",
    summary: "Public keys by which agents know that commands are this hub's",
    success: { status: 200, description: "The keys that are given out", body: commandKeyListSchema },
  },
  {
    ...common,
    id: "rotateCommandKeys",
    method: "post",
    path: "/api/v1/command-keys/rotate",
    summary: "Let another key follow the one that signs commands",
    success: { status: 200, description: "The keys that are given out, with the new one", body: commandKeyListSchema },
  },
];
