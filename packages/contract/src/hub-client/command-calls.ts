import type { Calls } from "../calls.ts";
import type { CommandLogQuery, commandOperations as operations } from "../commands/index.ts";
import type { CallOptions, Send, SendForBytes } from "../send.ts";
import { callOf, createCalls } from "./create-calls.ts";

type Table = typeof operations;

export interface CommandCalls extends Omit<Calls<Table>, "readCommandLog"> {
  /**
   * The log's bytes as they come. A client that was cut goes on from the offset plus the bytes that it got: they count
   * before anything is decoded.
   */
  readCommandLog(id: string, query?: CommandLogQuery, options?: CallOptions): AsyncIterable<Uint8Array>;
}

export function createCommandCalls(send: Send, sendForBytes: SendForBytes): CommandCalls {
  return {
    ...createCalls(send, "commandOperations"),
    readCommandLog: (id, query, call) =>
      sendForBytes(callOf<Table["readCommandLog"]>("readCommandLog", id, query, call)),
  };
}
