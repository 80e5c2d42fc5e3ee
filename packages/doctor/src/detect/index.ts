export {
  type FoundComponent,
  type Installation,
  type Presence,
  type Provenance,
  workloadsOf,
} from "./installation.ts";
