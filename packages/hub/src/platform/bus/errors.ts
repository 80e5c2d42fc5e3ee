import { defineErrors, type Errors } from "@fairlead/kernel";

/** `where` is the bus's address without user and password. */
const table = {
  BUS_AWAY: {
    httpStatus: 503,
    retryable: true,
    message: "The bus between hubs {where} can't be reached: {reason}",
    hint: "The hub tries again by itself. Until then hubs see each other's changes a second later.",
  },
  BUS_DEAF: {
    httpStatus: 503,
    retryable: true,
    message: "The hub can't hear notifications of its database.",
    hint: "LISTEN doesn't work through PgBouncer and its like where connections are handed round: name the server itself by --bus-listen-url, or use NATS. Until then hubs see each other's changes a second later.",
  },
  BUS_SETTING_INVALID: { httpStatus: 503, message: "{detail}", hint: "{advice}" },
  BUS_TIMEOUT: {
    httpStatus: 503,
    retryable: true,
    message: "The bus between hubs {where} didn't answer in time.",
    hint: "A NATS server that wants a client certificate doesn't answer without one: name one by --bus-nats-cert-file and --bus-nats-key-file. Else see whether the network lets the hub through.",
  },
  BUS_CERTIFICATE_WANTED: {
    httpStatus: 503,
    message: "The bus between hubs {where} hung up on the hub, which shows no client certificate.",
    hint: "Name one by --bus-nats-cert-file and --bus-nats-key-file.",
  },
  BUS_REFUSED: {
    httpStatus: 503,
    message: "The bus between hubs {where} doesn't let the hub in: {reason}",
    hint: "See that --bus-nats-credentials-file, or the client certificate, is a user's of the NATS server.",
  },
  BUS_TLS: {
    httpStatus: 503,
    message: "The connection to the bus between hubs {where} isn't safe: {reason}",
    hint: "Name the server's authority by --bus-nats-ca-file, and the server as its certificate does.",
  },
  BUS_FORBIDDEN: {
    httpStatus: 503,
    message: "The bus between hubs {where} doesn't let the hub {operation} {subject}.",
    hint: "Give the hub's user at the NATS server the right to publish and to subscribe to that subject.",
  },
} as const;

export const busErrors: Errors<typeof table> = defineErrors(table);
