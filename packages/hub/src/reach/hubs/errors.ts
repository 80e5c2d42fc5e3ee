import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  HUB_FORGOTTEN: {
    httpStatus: 503,
    retryable: true,
    message: "The other hubs took this hub for dead.",
    hint: "It joins them again by itself. If that happens often, see whether the machine is overloaded or the database slow.",
  },
  HUB_UNREACHABLE: {
    httpStatus: 503,
    retryable: true,
    message: "The hub at {address} can't be reached: {reason}",
    hint: "Hubs dial each other at --hub-address. See that the address is right and the network lets them through.",
  },
  HUB_CERTIFICATE_REQUIRED: {
    httpStatus: 401,
    message: "Only hubs of the same database may come in here.",
    hint: "Agents and people have addresses of their own.",
  },
} as const;

export const hubsErrors: Errors<typeof table> = defineErrors(table);
