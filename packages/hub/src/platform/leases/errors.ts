import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  LEASE_LOST: {
    httpStatus: 503,
    retryable: true,
    message: "This hub doesn't hold the lease {name} any more.",
    hint: "Another hub does the work, or is about to.",
  },
} as const;

export const leaseErrors: Errors<typeof table> = defineErrors(table);
