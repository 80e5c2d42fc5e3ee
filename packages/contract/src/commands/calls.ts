import { toQueryString } from "../audit/index.ts";
import type { CallOptions, Send, SendForBytes } from "../send.ts";
import type { ApproveCommandRequest, ApprovePlanningRequest, RejectCommandRequest } from "./approval.ts";
import {
  type Command,
  type CommandDetail,
  type CommandList,
  commandDetailSchema,
  commandListSchema,
  commandSchema,
} from "./command.ts";
import { type CommandKeyList, commandKeyListSchema } from "./keys.ts";
import { commandPaths as paths } from "./paths.ts";
import type { CommandListQuery, CommandLogQuery } from "./query.ts";
import type { CreateCommandRequest, RetryCommandRequest } from "./requests.ts";

export interface CommandCalls {
  /** With the key of an earlier request it is that one's command. */
  createCommand(request: CreateCommandRequest, options?: CallOptions): Promise<Command>;
  listCommands(query?: CommandListQuery, options?: CallOptions): Promise<CommandList>;
  getCommand(id: string, options?: CallOptions): Promise<CommandDetail>;
  /** The first call asks for a graceful end, the second for one at once. */
  cancelCommand(id: string, options?: CallOptions): Promise<Command>;
  retryCommand(id: string, request?: RetryCommandRequest, options?: CallOptions): Promise<Command>;
  /** The digest is that of the plan that was looked at: another one is refused. */
  approveCommand(id: string, request: ApproveCommandRequest, options?: CallOptions): Promise<Command>;
  /** Lets the agent plan a proposal that it holds back. */
  approvePlanning(id: string, request?: ApprovePlanningRequest, options?: CallOptions): Promise<Command>;
  /** Ends a command that waits for approval. */
  rejectCommand(id: string, request?: RejectCommandRequest, options?: CallOptions): Promise<Command>;
  /**
   * The log's bytes as they come. A client that was cut goes on from the offset plus the bytes that it got: they count
   * before anything is decoded.
   */
  readCommandLog(id: string, query?: CommandLogQuery, options?: CallOptions): AsyncIterable<Uint8Array>;
  listCommandKeys(options?: CallOptions): Promise<CommandKeyList>;
  /** Another key follows after two days or more; both are given out meanwhile. */
  rotateCommandKeys(options?: CallOptions): Promise<CommandKeyList>;
}

export function createCommandCalls(send: Send, sendForBytes: SendForBytes): CommandCalls {
  const get = { method: "GET" };
  const post = { method: "POST" };
  return {
    createCommand: (body, call) => send({ ...call, ...post, path: paths.commands, body, answer: commandSchema }),
    listCommands: (query = {}, call) =>
      send({ ...call, ...get, path: paths.commands + toQueryString(query), answer: commandListSchema }),
    getCommand: (id, call) => send({ ...call, ...get, path: paths.command(id), answer: commandDetailSchema }),
    cancelCommand: (id, call) => send({ ...call, ...post, path: paths.cancelCommand(id), answer: commandSchema }),
    retryCommand: (id, body = {}, call) =>
      send({ ...call, ...post, path: paths.retryCommand(id), body, answer: commandSchema }),
    approveCommand: (id, body, call) =>
      send({ ...call, ...post, path: paths.approveCommand(id), body, answer: commandSchema }),
    approvePlanning: (id, body = {}, call) =>
      send({ ...call, ...post, path: paths.approvePlanning(id), body, answer: commandSchema }),
    rejectCommand: (id, body = {}, call) =>
      send({ ...call, ...post, path: paths.rejectCommand(id), body, answer: commandSchema }),
    readCommandLog: (id, query = {}, call) =>
      sendForBytes({ ...call, ...get, path: paths.commandLog(id) + toQueryString(query) }),
    listCommandKeys: (call) => send({ ...call, ...get, path: paths.commandKeys, answer: commandKeyListSchema }),
    rotateCommandKeys: (call) =>
      send({ ...call, ...post, path: paths.rotateCommandKeys, answer: commandKeyListSchema }),
  };
}
