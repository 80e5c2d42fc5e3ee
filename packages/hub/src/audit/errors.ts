import { FairleadError } from "@fairlead/kernel";

export function auditUnavailable(waiting: number): FairleadError {
  return new FairleadError({
    code: "AUDIT_UNAVAILABLE",
    message: "the hub can't keep audit records at the moment, and does nothing that it couldn't account for",
    hint: `${waiting} records wait to be written: see the hub's log for why its store or the audit log takes none.`,
    httpStatus: 503,
    retryable: true,
  });
}

export function auditUnsynced(cause: unknown): FairleadError {
  return new FairleadError({
    code: "AUDIT_UNSYNCED",
    message: "This was done, but its audit record couldn't be written to disk.",
    hint: "Look at what was done before you ask again; see the hub's log for why the journal of audit records fails.",
    httpStatus: 503,
    cause,
  });
}

export function auditTaken(): FairleadError {
  return new FairleadError({
    code: "AUDIT_CHAIN_TAKEN",
    message: "Another hub writes to the same audit records.",
    hint: "One hub at a time may use a database. Stop the other one, then start this one again.",
    httpStatus: 503,
  });
}

export function auditDamaged(seq: number, cause?: unknown): FairleadError {
  return new FairleadError({
    code: "AUDIT_DAMAGED",
    message: `The audit records from ${seq} on can't be read.`,
    hint: "`fairlead audit verify` says where the chain breaks; compare with the audit log or a backup.",
    httpStatus: 500,
    cause,
  });
}

export function auditLogUnusable(path: string, cause: unknown): FairleadError {
  return new FairleadError({
    code: "AUDIT_LOG_UNUSABLE",
    message: `The audit log ${path} can't be written.`,
    hint: "The folder must exist and the hub must be allowed to append to the file.",
    httpStatus: 503,
    retryable: true,
    cause,
  });
}

export function queryInvalid(problems: string): FairleadError {
  return new FairleadError({
    code: "AUDIT_QUERY_INVALID",
    message: `The query isn't what this call takes: ${problems}.`,
    hint: "Times are RFC 3339, such as 2026-01-31T12:00:00Z; the OpenAPI document has all parameters.",
    httpStatus: 400,
  });
}

export function tooManyReaders(): FairleadError {
  return new FairleadError({
    code: "AUDIT_READERS_TOO_MANY",
    message: "Too many clients follow the audit records already.",
    hint: "End one of them, or read pages instead of following.",
    httpStatus: 429,
    retryable: true,
  });
}

export function readerSlow(): FairleadError {
  return new FairleadError({
    code: "AUDIT_READER_SLOW",
    message: "This client took no record for too long, so the hub stopped sending.",
    hint: "Follow again with `since` at the last record that came.",
    httpStatus: 503,
    retryable: true,
  });
}
