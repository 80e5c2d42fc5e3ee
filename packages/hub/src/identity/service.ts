import type { ClusterIdentity } from "@fairlead/contract";
import { type Clock, systemClock } from "@fairlead/kernel";
import type { Kysely } from "kysely";
import type { Clusters } from "../clusters/index.ts";
import type { Pki } from "../pki/index.ts";
import type { Tables } from "../store/index.ts";
import type { IdentityContext } from "./context.ts";
import { enroll } from "./enroll.ts";
import { createJoinToken } from "./join-tokens.ts";
import { listIdentities, listRoles } from "./list.ts";
import { authenticatePeer, renew } from "./peers.ts";
import type { Identity, RevokedEvent } from "./types.ts";

export function openIdentity(options: {
  readonly db: Kysely<Tables>;
  readonly pki: Pki;
  readonly clusters: Clusters;
  readonly clock?: Clock | undefined;
  /** Life of an agent's certificate; 24 hours unless told. */
  readonly certificateTtlMs?: number | undefined;
}): Identity {
  const { db, pki, clusters, clock = systemClock, certificateTtlMs = 24 * 60 * 60_000 } = options;
  const context: IdentityContext = { db, pki, clusters, clock, certificateTtlMs };
  const listeners = new Set<(event: RevokedEvent) => void>();
  const stopListening = clusters.onRevoked(({ cluster }) => {
    for (const listener of listeners) listener({ cluster });
  });

  return {
    createJoinToken: (wanted) => createJoinToken(context, wanted),
    enroll: (request) => enroll(context, request),
    renew: (request) => renew(context, request),
    authenticatePeer: (certDer) => authenticatePeer(context, certDer),
    list: (cluster): Promise<ClusterIdentity[]> => listIdentities(context, cluster),
    listRoles: () => listRoles(context),
    onRevoked(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    [Symbol.dispose]() {
      stopListening();
      listeners.clear();
    },
  };
}
