import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  COMMAND_LOG_INVALID: {
    httpStatus: 400,
    message: "The agent's piece of a log can't be taken: {reason}.",
    hint: "Hub and agent work together up to two minor versions apart: update the older one.",
    meaning: "To an agent: its piece of a log isn't gzip of up to 1 MiB.",
  },
  COMMAND_LOG_BUSY: {
    httpStatus: 429,
    retryable: true,
    message: "The agents of this cluster send more of their logs at once than the hub takes.",
    hint: "Agents send it again by themselves, and nothing is lost.",
    meaning: "To an agent: its cluster sends more of its logs at once than the hub takes.",
    remedy: "Nothing: it sends them again, and nothing is lost.",
  },
  COMMAND_LOG_GONE: {
    httpStatus: 410,
    message: "The hub has removed the command's log: the cluster's newer ones take all the room there is.",
    hint: "Read or copy logs sooner. The command itself, its result and its history are still there.",
  },
  COMMAND_LOG_READERS_TOO_MANY: {
    httpStatus: 429,
    retryable: true,
    message: "Too many logs are being read: one user may read {limit} at once, all together {total}.",
    hint: "End one of them, or read without following.",
    meaning: "64 logs are being read already, or 8 by this user.",
  },
} as const;

export const runErrors: Errors<typeof table> = defineErrors(table);
