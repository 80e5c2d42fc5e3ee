// The certificate by which this hub is known to the others: made anew well before it ends, and when the authority changes.
import type { Clock } from "@fairlead/kernel";
import { hubHost } from "@fairlead/protocol/x509";
import type { Pki } from "../../platform/pki/index.ts";

export interface HubIdentity {
  readonly id: string;
  /** Certificate and key of now, and the authorities to trust. */
  current(): Promise<{ readonly certPem: string; readonly keyPem: string; readonly caPem: string }>;
  /** The name in a hub's certificate, which TLS is told as the server's. */
  serverNameOf(id: string): string;
}

export function createHubIdentity(options: {
  readonly id: string;
  readonly pki: Pki;
  readonly clock: Clock;
}): HubIdentity {
  const { id, pki, clock } = options;
  let issued: Promise<Awaited<ReturnType<Pki["issueHub"]>>> | undefined;
  let renewAt = 0;
  let issuedUnder = "";
  return {
    id,
    async current() {
      if (issued === undefined || clock.now() >= renewAt || issuedUnder !== pki.caPem) {
        issuedUnder = pki.caPem;
        const nowMs = clock.now();
        issued = pki.issueHub({ id });
        renewAt = nowMs + ((await issued).notAfter - nowMs) / 2;
      }
      const { certPem, keyPem } = await issued;
      return { certPem, keyPem, caPem: pki.caPem };
    },
    serverNameOf: (hub) => hubHost({ trustDomain: pki.trustDomain, id: hub }),
  };
}
