export { type DetectOptions, detect } from "./detect.ts";
export {
  type FoundComponent,
  type Installation,
  type Presence,
  type Provenance,
  workloadsOf,
} from "./installation.ts";
export type { ComponentSignal, Signals } from "./signals.ts";
export { WorkloadIndex } from "./workload-index.ts";
