export {
  type Giver,
  type Remover,
  requireRecorded,
  requireToGive,
  requireToLabel,
  requireToRelabel,
  requireToTake,
} from "./giving.ts";
export { keepsRuns } from "./recording.ts";
