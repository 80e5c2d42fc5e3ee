export { readHorizon } from "./horizon.ts";
export { type ChangesPort, type Difference, type Keeper, type Ledger, openLedger, type Step } from "./ledger.ts";
export { createSharedRun } from "./shared-run.ts";
