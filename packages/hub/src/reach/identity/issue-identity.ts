import type { Role } from "@fairlead/protocol";
import type { Kysely } from "kysely";
import type { Tables } from "../../platform/store/index.ts";
import type { IdentityContext } from "./types.ts";

export interface IssuedIdentity {
  readonly serial: string;
  readonly certificatePem: string;
  readonly notAfter: number;
  /** The fingerprint of the authority that signed it. */
  readonly issuer: string;
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
  const issued = await context.pki.issueAgent({
    csrDer,
    cluster,
    roles,
    epoch,
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
      issuer: issued.issuer,
    })
    .execute();
  return { serial: issued.serial, certificatePem: issued.certPem, notAfter: issued.notAfter, issuer: issued.issuer };
}
