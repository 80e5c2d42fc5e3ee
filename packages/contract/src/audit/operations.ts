import { z } from "zod";
import { defineOperations } from "../operation.ts";
import { auditListQuerySchema, auditQuerySchema, recordingListQuerySchema } from "./query.ts";
import { auditListSchema, auditRecordSchema, auditVerificationSchema } from "./record.ts";
import { recordingListSchema } from "./recording.ts";

export const auditOperations = defineOperations({
  listAudit: {
    method: "GET",
    path: "/api/v1/audit",
    summary: "What was asked of the hub and its clusters, newest first",
    query: auditListQuerySchema,
    success: { status: 200, description: "A page of records", body: auditListSchema },
    errors: ["AUDIT_QUERY_INVALID"],
    right: "get audit",
  },
  streamAudit: {
    method: "GET",
    path: "/api/v1/audit/stream",
    summary: "Records as they are made, oldest first; with `since` those from then on go before",
    query: auditQuerySchema,
    success: {
      status: 200,
      description: "One record a line, without an end; an empty line now and then says that the hub is there",
      contentType: "application/jsonl",
      body: auditRecordSchema,
    },
    errors: ["AUDIT_QUERY_INVALID", "AUDIT_READERS_TOO_MANY"],
    right: "get audit",
  },
  verifyAudit: {
    method: "GET",
    path: "/api/v1/audit/verify",
    summary: "Check the hash chain of all records",
    success: { status: 200, description: "What was found", body: auditVerificationSchema },
    right: "get audit",
  },
  listRecordings: {
    method: "GET",
    path: "/api/v1/audit/recordings",
    summary: "Recorded exec and attach sessions, newest first",
    query: recordingListQuerySchema,
    success: { status: 200, description: "A page of recordings", body: recordingListSchema },
    errors: ["AUDIT_QUERY_INVALID"],
    right: "get recordings",
  },
  readRecording: {
    method: "GET",
    path: "/api/v1/audit/recordings/{requestId}",
    summary: "One recording as asciicast v2",
    params: { requestId: z.string().describe("Id of the request that began the session") },
    success: {
      status: 200,
      description: "The recording, as far as it is written",
      contentType: "application/x-asciicast",
    },
    errors: ["RECORDING_NOT_FOUND", "RECORDING_ELSEWHERE", "RECORDING_UNREADABLE"],
    right: "get recordings",
  },
});
