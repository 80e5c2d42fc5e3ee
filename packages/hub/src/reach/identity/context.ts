import type { X509Certificate } from "node:crypto";
import type { Clock } from "@fairlead/kernel";
import type { Role } from "@fairlead/protocol";
import type { IssuedCertificate } from "@fairlead/protocol/x509";
import type { Kysely } from "kysely";
import type { Pki } from "../../platform/pki/index.ts";
import type { Tables } from "../../platform/store/index.ts";
import type { Clusters } from "../clusters/index.ts";

/** The steps of this room share this. */
export interface IdentityContext {
  readonly db: Kysely<Tables>;
  readonly pki: Pki;
  /** The certificate of `pki`, read once: OpenSSL's copy of each reading stays until all of the heap is looked at. */
  readonly authority: X509Certificate;
  readonly clusters: Clusters;
  readonly clock: Clock;
  /** Life of an agent's certificate. */
  readonly certificateTtlMs: number;
}

export interface IssuedIdentity {
  readonly serial: string;
  readonly certificatePem: string;
  readonly notAfter: number;
}

/** Signs and records: a certificate that isn't in the table is worth nothing, so the order doesn't matter. */
export async function issueIdentity(
  context: IdentityContext,
  wanted: {
    readonly trx: Kysely<Tables>;
    readonly cluster: string;
    readonly roles: readonly Role[];
    readonly epoch: number;
    readonly csrDer: Uint8Array;
  },
): Promise<IssuedIdentity> {
  const { trx, cluster, roles, epoch, csrDer } = wanted;
  const issued: IssuedCertificate = await context.pki.issueAgent({
    csrDer,
    cluster,
    roles,
    ttlMs: context.certificateTtlMs,
  });
  await trx
    .insertInto("identity")
    .values({
      serial: issued.serial,
      cluster,
      roles: [...roles],
      epoch,
      key_thumbprint: issued.keyThumbprint,
      certificate_pem: issued.certPem,
      issued_at: new Date(context.clock.now()),
      not_after: new Date(issued.notAfter),
    })
    .execute();
  return { serial: issued.serial, certificatePem: issued.certPem, notAfter: issued.notAfter };
}
