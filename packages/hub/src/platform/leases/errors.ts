import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  LEASE_LOST: {
    httpStatus: 503,
    retryable: true,
    message: "This hub no longer holds the lease {name}.",
    hint: "No action needed: another hub takes over the work.",
    meaning: "A hub lost the lease for work that only one hub may do: it couldn't renew in time, or it was suspended.",
    remedy: "No action needed: the store rejected the hub's last write, and another hub takes over.",
  },
} as const;

export const leaseErrors: Errors<typeof table> = defineErrors(table);
