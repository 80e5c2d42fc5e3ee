import { type Calls, callOf, createCalls } from "../calls.ts";
import type { CallOptions, Send, SendForLines } from "../send.ts";
import { readRecords } from "./lines.ts";
import { auditOperations as operations } from "./operations.ts";
import type { AuditQuery } from "./query.ts";
import type { AuditRecord } from "./record.ts";

export interface AuditCalls extends Omit<Calls<typeof operations>, "streamAudit" | "readRecording"> {
  /** Follows until the signal aborts or the hub ends it; a connection that breaks throws API_UNREACHABLE. */
  streamAudit(query?: AuditQuery, options?: CallOptions): AsyncIterable<AuditRecord>;
  /** The lines of an asciicast v2 document: its head first, then one event each. */
  readRecording(requestId: string, options?: CallOptions): AsyncIterable<string>;
}

export function createAuditCalls(send: Send, sendForLines: SendForLines): AuditCalls {
  return {
    ...createCalls(send, operations),
    streamAudit: (query, call) => readRecords(sendForLines(callOf(operations.streamAudit, query, call))),
    readRecording: (requestId, call) => sendForLines(callOf(operations.readRecording, requestId, call)),
  };
}
