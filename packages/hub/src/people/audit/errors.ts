import { defineErrors, type Errors, type FairleadError } from "@fairlead/kernel";

const table = {
  AUDIT_UNAVAILABLE: {
    httpStatus: 503,
    retryable: true,
    message: "the hub can't keep audit records at the moment, and does nothing that it couldn't account for",
    hint: "{waiting} records wait to be written: see the hub's log for why its store or the audit log takes none.",
    meaning: "20,000 records wait to be written, so requests are refused rather than done without a record.",
    remedy:
      "See the hub's log for why its store or its audit log takes none. `--audit-required=false` goes on without records.",
  },
  AUDIT_UNSYNCED: {
    httpStatus: 503,
    message: "This was done, but its audit record couldn't be written to disk.",
    hint: "Look at what was done before you ask again; see the hub's log for why the journal of audit records fails.",
    meaning: "A change of the hub's own API was done, and its audit record couldn't be written to disk.",
    remedy:
      "Look at what was done before asking again; the hub's log says why the journal fails (a full disk, a broken one).",
  },
  AUDIT_CHAIN_TAKEN: {
    httpStatus: 503,
    message: "Another hub writes to the same audit records.",
    hint: "Each hub needs a data folder of its own, not a copy. Stop the other one, then start this one again.",
    meaning:
      "Another hub went on with this hub's chain of audit records: it has the same data folder, or a copy of it.",
  },
  AUDIT_CHAIN_LOST: {
    httpStatus: 503,
    message: "The database lost audit records that this hub wrote, and its journal doesn't reach back to them.",
    hint: "The hub ends. Start it again: it goes on with what the database has, and keeps its journal aside.",
    meaning:
      "The database lost audit records that this hub wrote, as after a restore from a backup, and the hub's journal doesn't reach back to them. The hub ends with exit code 1.",
  },
  AUDIT_DAMAGED: {
    httpStatus: 500,
    message: "The audit records from {seq} on can't be read.",
    hint: "`fairlead audit verify` says where the chain breaks; compare with the audit log or a backup.",
    meaning: "Stored audit records can't be read.",
  },
  AUDIT_LOG_UNUSABLE: {
    httpStatus: 503,
    retryable: true,
    message: "The audit log {path} can't be written.",
    hint: "The folder must exist and the hub must be allowed to append to the file.",
    meaning: "The file of `--audit-log` can't be opened or written.",
    remedy: "The folder must exist, the hub must be allowed to append to the file, and the disk needs room.",
  },
  AUDIT_QUERY_INVALID: {
    httpStatus: 400,
    message: "The query isn't what this call takes: {problems}.",
    hint: "Times are RFC 3339, such as 2026-01-31T12:00:00Z; the OpenAPI document has all parameters.",
    meaning: "A query for audit records has a parameter that isn't known or isn't what it should be.",
    remedy: "Times are RFC 3339; the message names the parameter.",
  },
  AUDIT_READERS_TOO_MANY: {
    httpStatus: 429,
    retryable: true,
    message: "Too many clients follow the audit records already.",
    hint: "End one of them, or read pages instead of following.",
    meaning: "64 clients follow the audit records already, or 8 of this user.",
  },
  AUDIT_READER_SLOW: {
    httpStatus: 503,
    retryable: true,
    message: "This client took no record for too long, so the hub stopped sending.",
    hint: "Follow again with `since` at the last record that came.",
    meaning: "A client that follows took nothing for a minute, so the hub ended its stream.",
  },
} as const;

export const auditErrors: Errors<typeof table> = defineErrors(table);

export function auditQueryInvalid(problems: string): FairleadError {
  return auditErrors.AUDIT_QUERY_INVALID({ problems });
}
