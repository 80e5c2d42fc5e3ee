import { defineErrors, type Errors, type FairleadError } from "@fairlead/kernel";

const table = {
  AUDIT_UNAVAILABLE: {
    httpStatus: 503,
    retryable: true,
    message: "the hub can't store audit records at the moment, so it rejects requests that it couldn't record",
    hint: "{waiting} records are waiting: see the hub's log for why the store or the audit log doesn't accept them.",
    meaning:
      "20,000 records are waiting to be stored, so the hub rejects requests instead of running them without a record.",
    remedy:
      "See the hub's log for why its store or its audit log doesn't accept records. With `--audit-required=false` the hub continues without records.",
  },
  AUDIT_UNSYNCED: {
    httpStatus: 503,
    message: "The request succeeded, but its audit record couldn't be written to disk.",
    hint: "Check the result before you repeat the request; see the hub's log for why the audit journal fails.",
    meaning: "A change through the hub's own API succeeded, but its audit record couldn't be written to disk.",
    remedy:
      "Check the result before you repeat the request. The hub's log says why the audit journal fails, for example a full or broken disk.",
  },
  AUDIT_CHAIN_TAKEN: {
    httpStatus: 503,
    message: "Another hub writes to the same chain of audit records.",
    hint: "Give each hub its own data folder, not a copy. Stop the other hub, then restart this one.",
    meaning: "Another hub continued this hub's chain of audit records: it uses the same data folder or a copy of it.",
  },
  AUDIT_CHAIN_LOST: {
    httpStatus: 503,
    message: "The database lost audit records of this hub, and the hub's journal doesn't contain them.",
    hint: "Restart the hub: it continues from the database's records and sets its journal aside.",
    meaning:
      "The database lost audit records of this hub, for example after a restore, and the hub's journal doesn't contain them. The hub exits with code 1.",
  },
  AUDIT_DAMAGED: {
    httpStatus: 500,
    message: "The audit records from {seq} on are unreadable.",
    hint: "Find the broken place with `fairlead audit verify`, and compare with the audit log or a backup.",
    meaning: "Stored audit records are unreadable.",
  },
  AUDIT_LOG_UNUSABLE: {
    httpStatus: 503,
    retryable: true,
    message: "The hub can't write to the audit log {path}.",
    hint: "Check that the folder exists and that the hub may append to the file.",
    meaning: "The hub can't open or write the file of `--audit-log`.",
    remedy: "Check that the folder exists, that the hub may append to the file, and that the disk has free space.",
  },
  AUDIT_QUERY_INVALID: {
    httpStatus: 400,
    message: "The query is invalid: {problems}.",
    hint: "Write times in RFC 3339, such as 2026-01-31T12:00:00Z. The OpenAPI document lists all parameters.",
    meaning: "A parameter of the query is unknown or has an invalid value; the message names it.",
    remedy: "Write times in RFC 3339. The OpenAPI document lists all parameters.",
  },
  AUDIT_READERS_TOO_MANY: {
    httpStatus: 429,
    retryable: true,
    message: "Too many clients follow the audit records.",
    hint: "Stop one of them, or read pages instead of following.",
    meaning: "At most 64 clients can follow the audit records, and at most 8 of one user.",
  },
  AUDIT_READER_SLOW: {
    httpStatus: 503,
    retryable: true,
    message: "The client read no records for too long, so the hub ended the stream.",
    hint: "Follow again with `since` set to the last record received.",
    meaning: "A following client read nothing for a minute, so the hub ended its stream.",
  },
} as const;

export const auditErrors: Errors<typeof table> = defineErrors(table);

export function auditQueryInvalid(problems: string): FairleadError {
  return auditErrors.AUDIT_QUERY_INVALID({ problems });
}
