export { type Giver, type Remover, requireRecorded, requireToGive, requireToLabel, requireToTake } from "./giving.ts";
export { keepsRuns } from "./recording.ts";
