import type { AuditQuery, AuditRecord, auditOperations as operations } from "../audit/index.ts";
import type { Calls } from "../calls.ts";
import type { CallOptions, Send, SendForLines } from "../send.ts";
import { callOf, createCalls } from "./create-calls.ts";
import { readRecords } from "./lines.ts";

type Table = typeof operations;

export interface AuditCalls extends Omit<Calls<Table>, "streamAudit" | "readRecording"> {
  /** Follows until the signal aborts or the hub ends it; a connection that breaks throws API_UNREACHABLE. */
  streamAudit(query?: AuditQuery, options?: CallOptions): AsyncIterable<AuditRecord>;
  /** The lines of an asciicast v2 document: its head first, then one event each. */
  readRecording(requestId: string, options?: CallOptions): AsyncIterable<string>;
}

export function createAuditCalls(send: Send, sendForLines: SendForLines): AuditCalls {
  return {
    ...createCalls(send, "auditOperations"),
    streamAudit: (query, call) => readRecords(sendForLines(callOf<Table["streamAudit"]>("streamAudit", query, call))),
    readRecording: (requestId, call) => sendForLines(callOf<Table["readRecording"]>("readRecording", requestId, call)),
  };
}
