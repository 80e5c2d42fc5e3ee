export { isExcluded, type KindChoice } from "./choose-kinds.ts";
export { createObserveCounters, type ObserveCounters } from "./counters.ts";
export { observeErrors } from "./errors.ts";
export { createObservedFeed } from "./feed.ts";
export { Nudge } from "./nudge.ts";
export type { Onlooker } from "./onlooker.ts";
export { findReserved } from "./reserved.ts";
export { type ReadSalt, saltInFile, saltInSecret } from "./salt.ts";
export type { ObjectFetcher, ObjectRef, ObservedFeed, ObservedKind, ObservedObject, ObserveHandler } from "./types.ts";
