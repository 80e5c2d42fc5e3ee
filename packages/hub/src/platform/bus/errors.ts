import { defineErrors, type Errors } from "@fairlead/kernel";

/** `where` is the bus's address without user and password. */
const table = {
  BUS_AWAY: {
    httpStatus: 503,
    retryable: true,
    message: "The bus between hubs {where} can't be reached: {reason}",
    hint: "The hub tries again by itself. Until then hubs see each other's changes a second later.",
    meaning: "In the hub's log: the bus between hubs can't be reached.",
    remedy: "Nothing is lost: hubs see each other's changes within a second without it. The hub tries again by itself.",
  },
  BUS_DEAF: {
    httpStatus: 503,
    retryable: true,
    message: "The hub can't hear notifications of its database.",
    hint: "LISTEN doesn't work through PgBouncer and its like where connections are handed round: name the server itself by --bus-listen-url, or use NATS. Until then hubs see each other's changes a second later.",
    meaning:
      "In the hub's log: LISTEN worked, and the hub doesn't hear itself, or it didn't try. Its way to the database is PgBouncer or its like, which hands connections round.",
    remedy:
      "Name the server itself by `--bus-listen-url`, or use NATS. Without either hubs see each other's changes within a second.",
  },
  BUS_SETTING_INVALID: {
    httpStatus: 503,
    message: "{detail}",
    hint: "{advice}",
    meaning: "An address or a file for NATS can't be used; the message says why.",
    remedy:
      "The address is `tls://HOST:PORT` or `nats://HOST:PORT`; files must be readable by the hub's user, and the credentials file by nobody else.",
  },
  BUS_TIMEOUT: {
    httpStatus: 503,
    retryable: true,
    message: "The bus between hubs {where} didn't answer in time.",
    hint: "A NATS server that wants a client certificate doesn't answer without one: name one by --bus-nats-cert-file and --bus-nats-key-file. Else see whether the network lets the hub through.",
    meaning: "In the hub's log: the NATS server didn't answer in time.",
    remedy:
      "One that wants a client certificate may just be silent without one (`--bus-nats-cert-file`). Else see whether the network lets the hub through.",
  },
  BUS_CERTIFICATE_WANTED: {
    httpStatus: 503,
    message: "The bus between hubs {where} hung up on the hub, which shows no client certificate.",
    hint: "Name one by --bus-nats-cert-file and --bus-nats-key-file.",
    meaning: "In the hub's log: the NATS server hung up on the hub, which shows no client certificate.",
  },
  BUS_REFUSED: {
    httpStatus: 503,
    message: "The bus between hubs {where} doesn't let the hub in: {reason}",
    hint: "See that --bus-nats-credentials-file, or the client certificate, is a user's of the NATS server.",
    meaning: "In the hub's log: the NATS server doesn't know the hub's user, password or certificate.",
  },
  BUS_TLS: {
    httpStatus: 503,
    message: "The connection to the bus between hubs {where} isn't safe: {reason}",
    hint: "Name the server's authority by --bus-nats-ca-file, and the server as its certificate does.",
    meaning:
      "In the hub's log: the connection to the NATS server isn't safe: its certificate is of another authority, of another name or over, or it has no TLS.",
  },
  BUS_FORBIDDEN: {
    httpStatus: 503,
    message: "The bus between hubs {where} doesn't let the hub {operation} {subject}.",
    hint: "Give the hub's user at the NATS server the right to publish and to subscribe to that subject.",
    meaning: "In the hub's log: the hub's user at NATS may not publish or subscribe to the subject of hints.",
    remedy:
      "Give it the right to both for `<prefix>.hints` (`fairlead.hints` unless `--bus-nats-subject-prefix` says otherwise).",
  },
} as const;

export const busErrors: Errors<typeof table> = defineErrors(table);
