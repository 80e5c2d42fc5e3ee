export {
  type GuardEvent,
  type GuardRules,
  type GuardState,
  type Leaving,
  type LeavingApplication,
  leavingOf,
  nextGuardState,
  openGuard,
  restoreGuard,
} from "./deletion-guard.ts";
export { createDeletionHolds, type DeletionHolds, guardTopic, type KeptDeletions } from "./deletion-guard-store.ts";
