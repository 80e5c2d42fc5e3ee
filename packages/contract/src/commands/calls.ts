import { type Calls, callOf, createCalls } from "../calls.ts";
import type { CallOptions, Send, SendForBytes } from "../send.ts";
import { commandOperations as operations } from "./operations.ts";
import type { CommandLogQuery } from "./query.ts";

export interface CommandCalls extends Omit<Calls<typeof operations>, "readCommandLog"> {
  /**
   * The log's bytes as they come. A client that was cut goes on from the offset plus the bytes that it got: they count
   * before anything is decoded.
   */
  readCommandLog(id: string, query?: CommandLogQuery, options?: CallOptions): AsyncIterable<Uint8Array>;
}

export function createCommandCalls(send: Send, sendForBytes: SendForBytes): CommandCalls {
  return {
    ...createCalls(send, operations),
    readCommandLog: (id, query, call) => sendForBytes(callOf(operations.readCommandLog, id, query, call)),
  };
}
