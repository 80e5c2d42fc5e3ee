import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  RECORDING_UNWRITABLE: {
    httpStatus: 503,
    retryable: true,
    message: "this session has to be recorded, and its recording can't be written",
    hint: "See that the disk with the hub's data folder, or the hubs' database, has room; the hub's log has the details.",
    meaning:
      "A session has to be recorded, and its file, its row or its pieces in the database can't be written; it was refused or ended.",
  },
  RECORDING_HOMELESS: {
    httpStatus: 403,
    message: "this session has to be recorded, and this hub keeps nothing on disk",
    hint: "Start the hub without --in-memory, or take `record` from the binding.",
    meaning: "A session has to be recorded on a hub that runs with `--in-memory`.",
    remedy: "Give the hub a data folder, or take `record` from the binding.",
  },
  RECORDING_UNREADABLE: {
    httpStatus: 403,
    message: "this session has to be recorded, and the hub can't read what passes: {reason}",
    hint: "Use kubectl or one of the official client libraries.",
    meaning: "A session has to be recorded, and what passes isn't one of Kubernetes' protocols as the hub knows them.",
  },
  RECORDING_TOO_LARGE: {
    httpStatus: 403,
    message: "this session is recorded, and its recording has reached {limitBytes} bytes",
    hint: "Begin another session; the hub's `--recording-max-size` sets the limit.",
    meaning: "A recorded session was ended since its recording has reached `--recording-max-size`.",
    remedy: "Begin another one, or set a higher limit.",
  },
  RECORDING_SLOW: {
    httpStatus: 503,
    message: "this session is recorded, and the hub's disk or database doesn't keep up with it",
    hint: "Print less at once, or give the hub a faster one.",
    meaning:
      "A recorded session prints faster than the hub's disk, or the database of several hubs, takes it, so it was ended.",
  },
  RECORDING_ELSEWHERE: {
    httpStatus: 404,
    message: "This recording is a file in the data folder of the hub that made it, and not here.",
    hint: "It was made before hubs shared this database: ask that hub, or look for {file} in its folder `recordings`.",
    meaning: "The recording is a file that another hub made when it had its database alone.",
  },
  RECORDING_NOT_FOUND: {
    httpStatus: 404,
    message: "There is no recording of this request.",
    hint: "`fairlead audit list` shows what was asked; recordings are kept for `--recording-retention`.",
    meaning: "There is no recording of this request, or it is older than recordings are kept.",
  },
} as const;

export const recordingsErrors: Errors<typeof table> = defineErrors(table);
