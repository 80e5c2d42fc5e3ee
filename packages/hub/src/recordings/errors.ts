import { FairleadError } from "@fairlead/kernel";

export function recordingUnwritable(cause: unknown): FairleadError {
  return new FairleadError({
    code: "RECORDING_UNWRITABLE",
    message: "this session has to be recorded, and its recording can't be written",
    hint: "See that the disk with the hub's data folder has room; the hub's log has the details.",
    httpStatus: 503,
    retryable: true,
    cause,
  });
}

export function recordingHomeless(): FairleadError {
  return new FairleadError({
    code: "RECORDING_HOMELESS",
    message: "this session has to be recorded, and this hub keeps nothing on disk",
    hint: "Start the hub without --in-memory, or take `record` from the binding.",
    httpStatus: 403,
  });
}

export function recordingUnreadable(reason: string): FairleadError {
  return new FairleadError({
    code: "RECORDING_UNREADABLE",
    message: `this session has to be recorded, and the hub can't read what passes: ${reason}`,
    hint: "Use kubectl or one of the official client libraries.",
    httpStatus: 403,
  });
}

export function recordingTooLarge(limitBytes: number): FairleadError {
  return new FairleadError({
    code: "RECORDING_TOO_LARGE",
    message: `this session is recorded, and its recording has reached ${limitBytes} bytes`,
    hint: "Begin another session; the hub's `--recording-max-bytes` sets the limit.",
    httpStatus: 403,
  });
}

export function recordingSlow(): FairleadError {
  return new FairleadError({
    code: "RECORDING_SLOW",
    message: "this session is recorded, and the hub's disk doesn't keep up with it",
    hint: "Print less at once, or give the hub a faster disk.",
    httpStatus: 503,
  });
}

export function recordingNotFound(): FairleadError {
  return new FairleadError({
    code: "RECORDING_NOT_FOUND",
    message: "There is no recording of this request.",
    hint: "`fairlead audit list` shows what was asked; recordings are kept for `--recording-retention-days`.",
    httpStatus: 404,
  });
}
