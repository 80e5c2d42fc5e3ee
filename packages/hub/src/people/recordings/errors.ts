import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  RECORDING_UNWRITABLE: {
    httpStatus: 503,
    retryable: true,
    message: "the hub can't write the recording that this session requires",
    hint: "Check free space on the disk of the hub's data folder or of the shared database; the hub's log has the details.",
    meaning:
      "The session requires a recording, and the hub can't write its file, its row or its chunks in the database. The session didn't start, or it ended.",
  },
  RECORDING_HOMELESS: {
    httpStatus: 403,
    message: "this session requires a recording, and this hub has no storage for it",
    hint: "Start the hub without --in-memory, or remove `record` from the binding.",
    meaning: "The session requires a recording, and the hub runs with `--in-memory`.",
    remedy: "Give the hub a data folder, or remove `record` from the binding.",
  },
  RECORDING_UNREADABLE: {
    httpStatus: 403,
    message: "this session requires a recording, and the hub can't read its traffic: {reason}",
    hint: "Use kubectl or one of the official client libraries.",
    meaning: "The session requires a recording, and its traffic isn't in a Kubernetes protocol that the hub can read.",
  },
  RECORDING_TOO_LARGE: {
    httpStatus: 403,
    message: "this session's recording reached its limit of {limitBytes} bytes",
    hint: "Start another session; the hub's `--recording-max-size` sets the limit.",
    meaning: "A recorded session ended because its recording reached `--recording-max-size`.",
    remedy: "Start another session, or raise the limit.",
  },
  RECORDING_SLOW: {
    httpStatus: 503,
    message: "the hub's disk or database is too slow to record this session",
    hint: "Print less at once, or give the hub a faster disk or database.",
    meaning: "A recorded session printed faster than the hub's disk or shared database can store, so the hub ended it.",
  },
  RECORDING_ELSEWHERE: {
    httpStatus: 404,
    message: "The recording is a file in the data folder of the hub that made it, not of this hub.",
    hint: "The recording is older than the shared database: ask that hub, or look for {file} in its folder `recordings`.",
    meaning: "The recording is a file of another hub, made before that hub shared its database.",
  },
  RECORDING_NOT_FOUND: {
    httpStatus: 404,
    message: "This request has no recording.",
    hint: "List requests: `fairlead audit list`. The hub keeps recordings for `--recording-retention`.",
    meaning: "The request has no recording, or the recording's retention has passed.",
  },
} as const;

export const recordingsErrors: Errors<typeof table> = defineErrors(table);
