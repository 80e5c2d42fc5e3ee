export { createFileRecords } from "./file-records.ts";
export { owedLog } from "./owed-log.ts";
export { createPagedRecords } from "./page/index.ts";
export { openRecord, type RecordKeeper } from "./record-keeper.ts";
export { createSecretRecords, recordLabel } from "./secret-records.ts";
export type {
  CommandRecord,
  OwedLog,
  PlanDigests,
  RecordedPlan,
  RecordLife,
  RecordStore,
  StoredRecord,
} from "./types.ts";
