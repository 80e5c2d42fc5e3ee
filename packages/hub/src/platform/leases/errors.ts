import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  LEASE_LOST: {
    httpStatus: 503,
    retryable: true,
    message: "This hub doesn't hold the lease {name} any more.",
    hint: "Another hub does the work, or is about to.",
    meaning:
      "A hub that did work which only one may do isn't the one any more: it couldn't renew its lease in time, or it stood still.",
    remedy: "Nothing: its last write was refused, and another hub does the work.",
  },
} as const;

export const leaseErrors: Errors<typeof table> = defineErrors(table);
