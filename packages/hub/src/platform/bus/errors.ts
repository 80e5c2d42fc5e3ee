import { defineErrors, type Errors } from "@fairlead/kernel";

/** `where` is the bus's address without user and password. */
const table = {
  BUS_AWAY: {
    httpStatus: 503,
    retryable: true,
    message: "The hub can't reach the bus between hubs {where}: {reason}",
    hint: "The hub retries automatically. Until then, hubs see each other's changes one second later.",
    meaning: "In the hub's log: the hub can't reach the bus between hubs.",
    remedy:
      "No action needed for data: without the bus, hubs see each other's changes within a second. The hub retries automatically.",
  },
  BUS_DEAF: {
    httpStatus: 503,
    retryable: true,
    message: "The hub doesn't receive its database's notifications.",
    hint: "LISTEN doesn't work through PgBouncer or another pooler that shares connections: set --bus-listen-url to the server itself, or use NATS. Until then, hubs see each other's changes one second later.",
    meaning:
      "In the hub's log: the hub doesn't receive its own notifications through LISTEN, or didn't try, because a pooler such as PgBouncer is between hub and database.",
    remedy:
      "Set `--bus-listen-url` to the server itself, or use NATS. Without either, hubs see each other's changes within a second.",
  },
  BUS_SETTING_INVALID: {
    httpStatus: 503,
    message: "{detail}",
    hint: "{advice}",
    meaning: "An address or a file for NATS is invalid; the message says why.",
    remedy:
      "Write the address as `tls://HOST:PORT` or `nats://HOST:PORT`. Make the files readable for the hub's user, and the credentials file for no other user.",
  },
  BUS_TIMEOUT: {
    httpStatus: 503,
    retryable: true,
    message: "The bus between hubs {where} didn't respond in time.",
    hint: "A NATS server that requires a client certificate doesn't respond without one: set --bus-nats-cert-file and --bus-nats-key-file. Otherwise, check the network between hub and server.",
    meaning: "In the hub's log: the NATS server didn't respond in time.",
    remedy:
      "If the server requires a client certificate, set `--bus-nats-cert-file`. Otherwise, check the network between hub and server.",
  },
  BUS_CERTIFICATE_WANTED: {
    httpStatus: 503,
    message: "The bus between hubs {where} closed the connection, because the hub has no client certificate.",
    hint: "Set --bus-nats-cert-file and --bus-nats-key-file.",
    meaning: "In the hub's log: the NATS server closed the connection, because the hub has no client certificate.",
  },
  BUS_REFUSED: {
    httpStatus: 503,
    message: "The bus between hubs {where} rejected the hub's credentials: {reason}",
    hint: "Check that --bus-nats-credentials-file, or the client certificate, belongs to a user of the NATS server.",
    meaning: "In the hub's log: the NATS server rejected the hub's user, password or certificate.",
  },
  BUS_TLS: {
    httpStatus: 503,
    message: "The connection to the bus between hubs {where} isn't secure: {reason}",
    hint: "Set --bus-nats-ca-file to the server's certificate authority, and use the host name in the server's certificate.",
    meaning:
      "In the hub's log: the connection to the NATS server isn't secure. The server has no TLS, or its certificate is from another authority, for another name, or expired.",
  },
  BUS_FORBIDDEN: {
    httpStatus: 503,
    message: "The bus between hubs {where} doesn't allow the hub to {operation} {subject}.",
    hint: "Allow the hub's user at the NATS server to publish and subscribe to that subject.",
    meaning: "In the hub's log: the hub's NATS user isn't allowed to publish or subscribe to the subject of hints.",
    remedy: "Allow the user both for `<prefix>.hints` (`fairlead.hints` unless `--bus-nats-subject-prefix` is set).",
  },
} as const;

export const busErrors: Errors<typeof table> = defineErrors(table);
