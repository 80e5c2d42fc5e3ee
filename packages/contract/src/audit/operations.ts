import type { Operation } from "../old-operation.ts";
import { auditListSchema, auditRecordSchema, auditVerificationSchema } from "./record.ts";
import { recordingListSchema } from "./recording.ts";

const filters = {
  user: "Only what this one asked for",
  cluster: "Only what was asked of this cluster",
  since: "From this time on (RFC 3339)",
  until: "Before this time (RFC 3339)",
};
const page = { cursor: "The `next` of the page before", limit: "Items on a page, at most 1,000; 100 unless told" };

export const auditOperations: readonly Operation[] = [
  {
    id: "listAudit",
    method: "get",
    path: "/api/v1/audit",
    summary: "What was asked of the hub and its clusters, newest first",
    needsToken: true,
    query: { ...filters, verb: "Only this verb", ...page },
    success: { status: 200, description: "A page of records", body: auditListSchema },
  },
  {
    id: "streamAudit",
    method: "get",
    path: "/api/v1/audit/stream",
    summary: "Records as they are made, oldest first; with `since` those from then on go before",
    needsToken: true,
    query: { ...filters, verb: "Only this verb" },
    success: {
      status: 200,
      description: "One record a line, without an end; an empty line now and then says that the hub is there",
      contentType: "application/jsonl",
      body: auditRecordSchema,
    },
  },
  {
    id: "verifyAudit",
    method: "get",
    path: "/api/v1/audit/verify",
    summary: "Check the hash chain of all records",
    needsToken: true,
    success: { status: 200, description: "What was found", body: auditVerificationSchema },
  },
  {
    id: "listRecordings",
    method: "get",
    path: "/api/v1/audit/recordings",
    summary: "Recorded exec and attach sessions, newest first",
    needsToken: true,
    query: { ...filters, ...page },
    success: { status: 200, description: "A page of recordings", body: recordingListSchema },
  },
  {
    id: "readRecording",
    method: "get",
    path: "/api/v1/audit/recordings/{requestId}",
    summary: "One recording as asciicast v2",
    needsToken: true,
    success: {
      status: 200,
      description: "The recording, as far as it is written",
      contentType: "application/x-asciicast",
    },
  },
];
