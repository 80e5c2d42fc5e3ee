export { auditOperations } from "./operations.ts";
export type {
  AuditListQuery,
  AuditQuery,
  RecordingListQuery,
} from "./query.ts";
export {
  type AuditList,
  type AuditRecord,
  type AuditVerification,
  type AuditWho,
  auditListSchema,
  auditRecordSchema,
  auditVerificationSchema,
  type ChainVerification,
} from "./record.ts";
export { type Recording, type RecordingList, recordingListSchema, recordingSchema } from "./recording.ts";
