import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  LIVE_REQUEST_INVALID: {
    httpStatus: 400,
    message: "The live connection can't be used like this: {problem}.",
    hint: "docs/live.md says what goes over it.",
    meaning: "A live connection is opened without its subprotocol, or a message on it isn't one.",
  },
  LIVE_TOO_MANY: {
    httpStatus: 429,
    retryable: true,
    message: "There are too many {what}.",
    hint: "Close those that aren't needed. One connection carries many subscriptions.",
    meaning: "There are more live connections or subscriptions than the hub takes.",
  },
  LIVE_RIGHTS_CHANGED: {
    httpStatus: 403,
    retryable: true,
    message: "Your rights have changed since the subscription began.",
    hint: "Subscribe again without a cursor.",
    meaning: "What the caller may see changed while a subscription was open, or a cluster of it was removed.",
  },
  LIVE_BEGIN_ANEW: {
    httpStatus: 503,
    retryable: true,
    message: "The hub's database was put back to an older state, so what was sent may be wrong now.",
    hint: "Subscribe again. A cursor from before begins anew.",
  },
  LIVE_SIGNED_OUT: {
    httpStatus: 401,
    message: "The sign-in that this live connection began with is over.",
    hint: "Sign in again and open a new one.",
  },
} as const;

export const liveErrors: Errors<typeof table> = defineErrors(table);
