import type { CallOptions, Send, SendForLines } from "../send.ts";
import { readRecords } from "./lines.ts";
import { auditPaths } from "./paths.ts";
import { type AuditListQuery, type AuditQuery, type RecordingListQuery, toQueryString } from "./query.ts";
import {
  type AuditList,
  type AuditRecord,
  type AuditVerification,
  auditListSchema,
  auditVerificationSchema,
} from "./record.ts";
import { type RecordingList, recordingListSchema } from "./recording.ts";

export interface AuditCalls {
  listAudit(query?: AuditListQuery, options?: CallOptions): Promise<AuditList>;
  /** Follows until the signal aborts or the hub ends it; a connection that breaks throws API_UNREACHABLE. */
  streamAudit(query?: AuditQuery, options?: CallOptions): AsyncIterable<AuditRecord>;
  verifyAudit(options?: CallOptions): Promise<AuditVerification>;
  listRecordings(query?: RecordingListQuery, options?: CallOptions): Promise<RecordingList>;
  /** The lines of an asciicast v2 document: its head first, then one event each. */
  readRecording(requestId: string, options?: CallOptions): AsyncIterable<string>;
}

export function createAuditCalls(send: Send, sendForLines: SendForLines): AuditCalls {
  return {
    listAudit: (query = {}, call) =>
      send({ ...call, method: "GET", path: auditPaths.audit + toQueryString(query), answer: auditListSchema }),
    streamAudit: (query = {}, call) =>
      readRecords(sendForLines({ ...call, method: "GET", path: auditPaths.auditStream + toQueryString(query) })),
    verifyAudit: (call) =>
      send({ ...call, method: "GET", path: auditPaths.auditVerify, answer: auditVerificationSchema }),
    listRecordings: (query = {}, call) =>
      send({ ...call, method: "GET", path: auditPaths.recordings + toQueryString(query), answer: recordingListSchema }),
    readRecording: (requestId, call) => sendForLines({ ...call, method: "GET", path: auditPaths.recording(requestId) }),
  };
}
