import type { EndsOptions } from "./sync/index.ts";

/** For tests in which no deletion waits: none is kept. */
export const noHolds: EndsOptions["holds"] = {
  read: () => Promise.resolve({ held: new Map(), sinceMs: 0, letGo: [], confirmed: [], confirmedAt: null }),
  write: () => Promise.resolve(),
  follow: () => ({ [Symbol.asyncDispose]: () => Promise.resolve() }),
};
