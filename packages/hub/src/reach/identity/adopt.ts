// A hub that keeps nothing knows its agents by their certificates: its own authority signed them, for a cluster that is
// declared and an epoch that isn't over. The identity goes on record then, as if it had never been forgotten.
import { X509Certificate } from "node:crypto";
import { backdatedMs, type CertificateDescription } from "@fairlead/protocol/x509";
import { identityErrors } from "./errors.ts";
import { lockEpoch } from "./hold-cluster.ts";
import { requireDeclared } from "./require-declared.ts";
import type { IdentityContext } from "./types.ts";

/** The certificate is one of this authority and in its time. Throws IDENTITY_UNDECLARED, _ROLE_UNDECLARED, _REVOKED and _UNKNOWN. */
export async function adopt(
  context: IdentityContext,
  options: {
    readonly certificate: CertificateDescription & { readonly issuer: string };
    readonly certDer: Uint8Array;
  },
): Promise<void> {
  const { db, pki, declared } = context;
  const { certificate, certDer } = options;
  const { identities, epoch } = certificate;
  const [cluster, ...others] = new Set(identities.map((identity) => identity.cluster));
  const isForUs = identities.every(({ trustDomain }) => trustDomain === pki.trustDomain);
  if (!declared?.keepsNothing || cluster === undefined || others.length > 0 || !isForUs) {
    throw identityErrors.IDENTITY_UNKNOWN();
  }
  const wanted = declared.cluster(cluster);
  if (wanted === undefined) throw identityErrors.IDENTITY_UNDECLARED({ cluster });
  // Each certificate that a hub issues has an epoch.
  if (epoch === undefined) throw identityErrors.IDENTITY_UNKNOWN();
  if (epoch < wanted.identityEpoch) throw identityErrors.IDENTITY_REVOKED();
  const roles = identities.map(({ role }) => role);
  requireDeclared(declared, { cluster, roles, clusterRoles: wanted.roles });
  await db.transaction().execute(async (trx) => {
    const current = await lockEpoch(trx, cluster);
    if (current === undefined) throw identityErrors.IDENTITY_UNDECLARED({ cluster });
    if (epoch < current) throw identityErrors.IDENTITY_REVOKED();
    await trx
      .insertInto("identity")
      .values({
        serial: certificate.serial,
        cluster,
        roles,
        epoch: current,
        key_thumbprint: certificate.keyThumbprint,
        certificate_pem: new X509Certificate(certDer).toString(),
        issued_at: new Date(certificate.notBefore + backdatedMs),
        not_after: new Date(certificate.notAfter),
        issuer: certificate.issuer,
      })
      .onConflict((conflict) => conflict.column("serial").doNothing())
      .execute();
  });
}
