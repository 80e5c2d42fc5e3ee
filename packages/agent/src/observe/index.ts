export type { ObjectFetcher, ObjectRef, ObservedFeed, ObservedKind, ObservedObject, ObserveHandler } from "./types.ts";
