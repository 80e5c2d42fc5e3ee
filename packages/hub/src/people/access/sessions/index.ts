export { signInErrors } from "./errors.ts";
export type { IssuedSession } from "./live-session.ts";
export { openSessions, type Sessions, type SessionTimes } from "./sessions.ts";
export { createSessionStore, type SessionRecord } from "./store.ts";
