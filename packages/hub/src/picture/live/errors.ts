import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  LIVE_REQUEST_INVALID: {
    httpStatus: 400,
    message: "The request on the live connection is invalid: {problem}.",
    hint: "See docs/live.md for the messages of a live connection.",
    meaning: "A client opened a live connection without its subprotocol, or sent an invalid message on it.",
  },
  LIVE_TOO_MANY: {
    httpStatus: 429,
    retryable: true,
    message: "Too many {what}.",
    hint: "Close the ones that you don't need. One connection carries many subscriptions.",
    meaning: "The number of live connections or subscriptions reached the hub's limit.",
  },
  LIVE_RIGHTS_CHANGED: {
    httpStatus: 403,
    retryable: true,
    message: "Your rights changed after the subscription started.",
    hint: "Subscribe again without a cursor.",
    meaning: "The caller's rights changed during a subscription, or one of its clusters was removed.",
  },
  LIVE_BEGIN_ANEW: {
    httpStatus: 503,
    retryable: true,
    message: "The hub's database went back to an older state, so the data already sent may be wrong.",
    hint: "Subscribe again. An older cursor starts from the beginning.",
  },
  LIVE_SIGNED_OUT: {
    httpStatus: 401,
    message: "The session that opened this live connection has ended.",
    hint: "Sign in again and open a new connection.",
  },
} as const;

export const liveErrors: Errors<typeof table> = defineErrors(table);
