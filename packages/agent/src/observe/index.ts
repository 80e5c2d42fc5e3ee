export { createObserveCounters, type ObserveCounters } from "./counters.ts";
export { observeErrors } from "./errors.ts";
export { createObservedFeed } from "./feed.ts";
export { type ReadSalt, saltInFile, saltInSecret } from "./salt.ts";
export type { ObjectFetcher, ObjectRef, ObservedFeed, ObservedKind, ObservedObject, ObserveHandler } from "./types.ts";
