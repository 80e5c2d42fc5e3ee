import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  HUB_FORGOTTEN: {
    httpStatus: 503,
    retryable: true,
    message: "The other hubs took this hub for dead.",
    hint: "It joins them again by itself. If that happens often, see whether the machine is overloaded or the database slow.",
    meaning: "The other hubs took this hub for dead, since it couldn't write to the database for six seconds.",
  },
  HUB_UNREACHABLE: {
    httpStatus: 503,
    retryable: true,
    message: "The hub at {address} can't be reached: {reason}",
    hint: "Hubs dial each other at --hub-address. See that the address is right and the network lets them through.",
    meaning: "Another hub can't be reached at its `--hub-address`.",
    remedy:
      "See that the address is right, and that the network lets hubs reach each other. Requests to clusters whose agents are linked there wait or fail until then.",
  },
  HUB_CERTIFICATE_REQUIRED: {
    httpStatus: 401,
    message: "Only hubs of the same database may come in here.",
    hint: "Agents and people have addresses of their own.",
    meaning: "Somebody who isn't a hub of the same database dialled the address of hubs.",
    remedy:
      "Agents and people have addresses of their own. If it is a hub, see that all of them have one certificate authority.",
  },
} as const;

export const hubsErrors: Errors<typeof table> = defineErrors(table);
