// Other hubs name this one when they dial, and are shown its identity instead of the certificate for agents.
import type { Server } from "node:http";
import { Server as TlsServer } from "node:tls";
import { type Clock, repeat } from "@fairlead/kernel";
import type { Pki } from "../pki/index.ts";
import type { Logger } from "../telemetry/index.ts";

export interface HubIdentitySource {
  readonly id: string;
  current(): Promise<{ readonly certPem: string; readonly keyPem: string; readonly caPem: string }>;
  serverNameOf(id: string): string;
}

/** Dispose of it to renew no more. */
export async function showHubIdentity(options: {
  readonly server: Server;
  readonly identity: HubIdentitySource;
  readonly pki: Pki;
  readonly clock: Clock;
  readonly log: Logger;
}): Promise<Disposable> {
  const { server, identity, pki, clock, log } = options;
  let shown: { readonly cert: string; readonly ca: string } | undefined;
  await show();
  const stopListening = pki.onChanged(show);
  const renewing = repeat({
    clock,
    intervalMs: lookEveryMs,
    run: show,
    onError: (error) => log.error({ err: error }, "can't renew the hub's identity among hubs"),
  });
  return {
    [Symbol.dispose]() {
      stopListening();
      renewing[Symbol.dispose]();
    },
  };

  async function show(): Promise<void> {
    const { certPem: cert, keyPem: key, caPem: ca } = await identity.current();
    // The server keeps all of them, and uses the newest of a name.
    if (shown?.cert === cert && shown.ca === ca) return;
    shown = { cert, ca };
    if (server instanceof TlsServer)
      server.addContext(identity.serverNameOf(identity.id), { cert, key, ca, minVersion: "TLSv1.3" });
  }
}

const lookEveryMs = 60 * 60_000;
