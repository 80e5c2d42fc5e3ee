// Light on purpose: what a refresh needs is loaded when one is due.
export { toStoredSession } from "./stored.ts";
export { type SessionOptions, useSession } from "./use-session.ts";
