import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  HUB_FORGOTTEN: {
    httpStatus: 503,
    retryable: true,
    message: "The other hubs consider this hub dead.",
    hint: "The hub rejoins automatically. If this happens often, check the load of the machine and the speed of the database.",
    meaning: "The other hubs consider this hub dead, because it couldn't write to the database for six seconds.",
  },
  HUB_UNREACHABLE: {
    httpStatus: 503,
    retryable: true,
    message: "The hub at {address} can't be reached: {reason}",
    hint: "Hubs connect to each other at --hub-address. Check the address and the network between the hubs.",
    meaning: "The hub can't reach another hub at its `--hub-address`.",
    remedy:
      "Check the address and the network between the hubs. Until then, requests to clusters whose agents are connected to that hub wait or fail.",
  },
  HUB_CERTIFICATE_REQUIRED: {
    httpStatus: 401,
    message: "This address accepts only hubs of the same database.",
    hint: "Agents and users connect to other addresses of the hub.",
    meaning: "A client that isn't a hub of the same database connected to the address for hubs.",
    remedy:
      "Use the addresses for agents and users. If the client is a hub, check that all hubs use the same certificate authority.",
  },
} as const;

export const hubsErrors: Errors<typeof table> = defineErrors(table);
