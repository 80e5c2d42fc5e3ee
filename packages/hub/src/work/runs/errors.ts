import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  COMMAND_LOG_INVALID: {
    httpStatus: 400,
    message: "The agent's chunk of a log is invalid: {reason}.",
    hint: "Hub and agent can be up to two minor versions apart: update the older one.",
    meaning: "To an agent: its chunk of a log isn't gzip of at most 1 MiB.",
  },
  COMMAND_LOG_BUSY: {
    httpStatus: 429,
    retryable: true,
    message: "The cluster's agents send more logs at once than the hub accepts.",
    hint: "No action needed: agents retry automatically, and nothing is lost.",
    meaning: "To an agent: its cluster sends more logs at once than the hub accepts.",
    remedy: "No action needed: the agent retries, and nothing is lost.",
  },
  COMMAND_LOG_GONE: {
    httpStatus: 410,
    message: "The hub deleted the command's log to make room for newer logs of the cluster.",
    hint: "Read or copy logs sooner. The command, its result and its history are still available.",
  },
  COMMAND_LOG_READERS_TOO_MANY: {
    httpStatus: 429,
    retryable: true,
    message: "Too many logs are being read: at most {limit} per user, and {total} in total.",
    hint: "Stop one of them, or read without following.",
    meaning: "64 logs are already being read, or 8 by this user.",
  },
} as const;

export const runErrors: Errors<typeof table> = defineErrors(table);
