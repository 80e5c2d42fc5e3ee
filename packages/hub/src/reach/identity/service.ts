import type { ClusterIdentity } from "@fairlead/contract";
import { type Clock, systemClock } from "@fairlead/kernel";
import type { Role } from "@fairlead/protocol";
import type { Kysely } from "kysely";
import type { DeclaredGuard } from "../../platform/declarations/index.ts";
import type { Pki } from "../../platform/pki/index.ts";
import { isStoreFailure, type Tables } from "../../platform/store/index.ts";
import type { Clusters } from "../clusters/index.ts";
import { enroll } from "./enroll.ts";
import { confirmCertificate, listHolders } from "./holders.ts";
import { createIdentityStore } from "./identity-store.ts";
import { createJoinToken } from "./join-tokens.ts";
import { hasHadRole, listHavingHadRole, listIdentities, listRoles } from "./list.ts";
import { authenticatePeer, renew } from "./peers.ts";
import type { Identity, IdentityContext, RevokedEvent } from "./types.ts";

export function openIdentity(options: {
  readonly db: Kysely<Tables>;
  /** For what people ask; the same unless told. */
  readonly queries?: Kysely<Tables> | undefined;
  readonly pki: Pki;
  readonly clusters: Clusters;
  readonly clock?: Clock | undefined;
  /** Life of an agent's certificate; 24 hours unless told. */
  readonly certificateTtlMs?: number | undefined;
  readonly declared?: DeclaredGuard | undefined;
}): Identity {
  const { db, queries = db, pki, clusters, clock = systemClock, certificateTtlMs = 24 * 60 * 60_000 } = options;
  const identities = createIdentityStore(db);
  const context: IdentityContext = {
    db,
    identities,
    pki,
    clusters,
    clock,
    certificateTtlMs,
    declared: options.declared,
  };
  let knownRoles: ReadonlyMap<string, Role[]> | undefined;
  const asked: IdentityContext = { ...context, db: queries };
  const listeners = new Set<(event: RevokedEvent) => void>();
  const stopListening = clusters.onRevoked(({ cluster }) => {
    for (const listener of listeners) listener({ cluster });
  });

  return {
    createJoinToken: (wanted) => createJoinToken(context, wanted),
    enroll: (request) => enroll(context, request),
    renew: (request) => renew(context, request),
    confirm: (request) => confirmCertificate(context, request),
    listHolders: () => listHolders(asked),
    authenticatePeer: (certDer) => authenticatePeer(context, certDer),
    list: (cluster): Promise<ClusterIdentity[]> => listIdentities(asked, cluster),
    async listRoles() {
      try {
        knownRoles = await listRoles(asked);
      } catch (error) {
        // The list of clusters says how they are also while the database is away.
        if (knownRoles === undefined || !isStoreFailure(error)) throw error;
      }
      return knownRoles;
    },
    hasHadRole: (cluster, role) => hasHadRole(asked, { cluster, role }),
    listHavingHadRole: (role) => listHavingHadRole(asked, role),
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
