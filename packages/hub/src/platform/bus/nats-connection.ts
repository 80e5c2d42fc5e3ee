// A connection to a NATS server. It counts as working when the server has taken a subscription and a message, since a
// server says only afterwards that something is forbidden.
import { setImmediate } from "node:timers/promises";
import { type FairleadError, onAbort } from "@fairlead/kernel";
import type { NatsConnection, PermissionViolationError } from "@nats-io/transport-node";
import { busErrors } from "./errors.ts";
import type { Connected } from "./keep-connected.ts";
import { proofPrefix } from "./message.ts";
import { type NatsFiles, type NatsServer, readNatsOptions } from "./nats-settings.ts";

export interface NatsConnected extends Connected {
  readonly connection: NatsConnection;
}

export async function connectNats(options: {
  readonly server: NatsServer;
  readonly files: NatsFiles;
  readonly subject: string;
  readonly onMessage: (text: string) => void;
  readonly signal: AbortSignal;
}): Promise<NatsConnected> {
  const { server, files, subject, onMessage, signal } = options;
  const where = `at ${server.where}`;
  // Most hubs have no NATS, and its client takes 12 MB.
  const { connect } = await import("@nats-io/transport-node");
  const settings = await readNatsOptions(server, files);
  await using undo = new AsyncDisposableStack();
  const over = Promise.withResolvers<never>();
  over.promise.catch(() => undefined);
  undo.use(onAbort(signal, over.reject));
  const connecting = connect({ ...settings, ...clientDefaults });
  // A connection that is made after everybody stopped waiting is closed.
  const closeLate = async (late: NatsConnection): Promise<void> => (signal.aborted ? await late.close() : undefined);
  connecting.then(closeLate).catch(() => undefined);
  const connection = await Promise.race([connecting, over.promise]).catch((error: unknown) => {
    if (signal.aborted) throw error;
    const isShown = settings.tls == null || settings.tls.cert !== undefined;
    throw isShown || !isHangUp(error)
      ? explain(where, error)
      : busErrors.BUS_CERTIFICATE_WANTED({ where, cause: error });
  });
  undo.defer(() => connection.close());
  void connection.closed().then((error) => over.reject(error ?? new Error("the connection ended")));
  void watchStatus();
  connection.subscribe(subject, {
    callback(error, message) {
      if (error) return; // the status says it, too
      const text = message.string();
      if (!text.startsWith(proofPrefix)) onMessage(text);
    },
  });
  connection.publish(subject, proofPrefix);
  await Promise.race([connection.flush(), over.promise]);
  await Promise.race([setImmediate(), over.promise]); // for what the status has to say of it
  const owned = undo.move();
  return { connection, over: over.promise, [Symbol.asyncDispose]: () => owned.disposeAsync() };

  async function watchStatus(): Promise<void> {
    for await (const status of connection.status()) {
      if (status.type === "error") over.reject(explain(where, status.error));
    }
  }
}

function explain(where: string, error: unknown): FairleadError {
  if (busErrors.is(error)) return error;
  const { name, message: reason } = error instanceof Error ? error : new Error(String(error));
  if (name === "TimeoutError") return busErrors.BUS_TIMEOUT({ where, cause: error });
  if (name === "PermissionViolationError") {
    const { operation, subject } = error as PermissionViolationError;
    return busErrors.BUS_FORBIDDEN({
      where,
      subject,
      cause: error,
      operation: operation === "publish" ? "publish to" : "subscribe to",
    });
  }
  if (/^(?:Authorization|UserAuthenticationExpired)Error$/.test(name))
    return busErrors.BUS_REFUSED({ where, reason, cause: error });
  if (isOfTls(error)) return busErrors.BUS_TLS({ where, reason, cause: error });
  return busErrors.BUS_AWAY({ where, reason, cause: error });
}

function isOfTls(error: unknown): boolean {
  const isNamed = /^(?:CERT_|ERR_TLS_|ERR_SSL_|ERR_OSSL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_)/.test(
    codeOf(error),
  );
  return isNamed || (error instanceof Error && error.message.includes("does not support 'tls'"));
}

/** With TLS 1.3 the client is through before the server looks at its certificate: the refusal may arrive or may not. */
function isHangUp(error: unknown): boolean {
  if (/_ALERT_CERTIFICATE_REQUIRED$|_ALERT_BAD_CERTIFICATE$|^ECONNRESET$|^EPIPE$/.test(codeOf(error))) return true;
  return !(error instanceof Error) || /closed|ended|disconnected|undefined error/.test(error.message);
}

function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return typeof code === "string" ? code : "";
}

const clientDefaults = {
  name: "fairlead-hub",
  reconnect: false,
  timeout: 5_000,
  noEcho: true,
  ignoreClusterUpdates: true,
  pingInterval: 5_000,
  maxPingOut: 2,
} as const;
