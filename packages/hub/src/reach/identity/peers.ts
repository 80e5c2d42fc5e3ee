// Peers that show a certificate: is it ours, in time, on record and not revoked? TLS has checked the chain by then;
// it is checked again here, so that nothing depends on how the listener was set up.
import { X509Certificate } from "node:crypto";
import { isFairleadError } from "@fairlead/kernel";
import { certificateTime, describeCertificate, readCsr } from "@fairlead/protocol/x509";
import { sql } from "kysely";
import type { Pki } from "../../platform/pki/index.ts";
import { adopt } from "./adopt.ts";
import { identityErrors, identityNotYetValid } from "./errors.ts";
import { holdCluster } from "./hold-cluster.ts";
import { confirmCertificate } from "./holders.ts";
import type { LivingIdentity } from "./identity-store.ts";
import { issueIdentity } from "./issue-identity.ts";
import { requireDeclared } from "./require-declared.ts";
import type { AgentIdentity, CertifiedAgent, IdentityContext, Renewal } from "./types.ts";

export async function authenticatePeer(context: IdentityContext, certDer: Uint8Array): Promise<CertifiedAgent> {
  const { issuer, ...certificate } = await readOwnCertificate(context, certDer);
  assertInTime(context, certificate);
  const row = await findLiving(context, certificate.serial).catch(async (error: unknown) => {
    if (!identityErrors.is(error, "IDENTITY_UNKNOWN") || !context.declared?.keepsNothing) throw error;
    await adopt(context, { certificate: { ...certificate, issuer }, certDer });
    return await findLiving(context, certificate.serial);
  });
  if (row.key_thumbprint !== certificate.keyThumbprint) throw identityErrors.IDENTITY_UNKNOWN();
  // An agent whose confirmation got lost shows that it has the new certificate.
  if (row.confirmed_at === null && context.pki.rollover.is === "overlapping") {
    const { cluster, key_thumbprint: keyThumbprint, serial } = row;
    await confirmCertificate(context, { peer: { cluster, keyThumbprint }, serial });
  }
  return {
    cluster: row.cluster,
    roles: row.roles,
    keyThumbprint: row.key_thumbprint,
    serial: row.serial,
    notAfter: certificate.notAfter,
    issuer,
  };
}

export async function renew(
  context: IdentityContext,
  options: { readonly peer: AgentIdentity; readonly csrDer: Uint8Array },
): Promise<Renewal> {
  const { db, pki, clusters } = context;
  const { peer, csrDer } = options;
  if (peer.serial === undefined) throw identityErrors.IDENTITY_BY_MESH();
  const { keyThumbprint } = await readCsr(csrDer);
  const row = await findLiving(context, peer.serial);
  if (row.not_after.getTime() < context.clock.now()) throw identityErrors.IDENTITY_EXPIRED();
  // The old epoch goes with it: a revocation that came between is not undone.
  const { cluster, roles, epoch } = row;
  const issued = await db.transaction().execute(async (trx) => {
    if (!(await holdCluster(trx, { cluster, epoch }))) throw identityErrors.IDENTITY_REVOKED();
    // While the cluster is held, as many at once would count without each other.
    await assertNotTooOften({ ...context, db: trx }, cluster);
    return await issueIdentity(context, { trx, cluster, roles, epoch, csrDer });
  });
  await forgetExpired(context, cluster);
  const key = keyThumbprint === row.key_thumbprint ? "its key" : `a new key (${keyThumbprint.slice(0, 16)})`;
  await clusters.recordEvent(cluster, { type: "renewed", message: `Certificate renewed with ${key}.` });
  const renewed = {
    cluster,
    roles,
    keyThumbprint,
    serial: issued.serial,
    notAfter: issued.notAfter,
    issuer: issued.issuer,
  };
  return { certificateChainPem: issued.certificatePem, caPem: pki.caPem, peer: renewed };
}

type OwnCertificate = ReturnType<typeof describeCertificate> & { readonly issuer: string };

async function readOwnCertificate({ pki }: IdentityContext, certDer: Uint8Array): Promise<OwnCertificate> {
  try {
    const certificate = new X509Certificate(certDer);
    const isForClients = certificate.keyUsage?.includes(clientAuth) ?? false; // Node's name for the extended usages
    const description = describeCertificate(certificate);
    const isForUs = description.identities.some(({ trustDomain }) => trustDomain === pki.trustDomain);
    if (isForClients && isForUs) {
      const issuer = pki.issuerOf(certificate) ?? (await findNewIssuer(pki, certificate));
      if (issuer !== undefined) return { ...description, issuer };
    }
  } catch (error) {
    throw isFairleadError(error) ? error : identityErrors.IDENTITY_UNKNOWN({ cause: error });
  }
  throw identityErrors.IDENTITY_UNKNOWN();
}

/** Another hub may have begun a new authority just now. An agent that was told "unknown" would wait for a token. */
async function findNewIssuer(pki: Pki, certificate: X509Certificate): Promise<string | undefined> {
  await pki.refresh();
  return pki.issuerOf(certificate);
}

function assertInTime({ clock }: IdentityContext, certificate: Pick<OwnCertificate, "notBefore" | "notAfter">): void {
  const time = certificateTime(certificate, clock.now());
  switch (time.state) {
    case "valid":
      return;
    case "expired":
      throw identityErrors.IDENTITY_EXPIRED();
    case "not-yet-valid":
      throw identityNotYetValid(time.earlyMs);
  }
}

async function findLiving(
  { identities, clusters, declared }: IdentityContext,
  serial: string,
): Promise<LivingIdentity> {
  const row = await identities.find(serial);
  if (!row) throw identityErrors.IDENTITY_UNKNOWN();
  // Another hub may have made the cluster just now.
  await clusters.meet(row.cluster);
  // A revocation may have been answered since the database gave the row: its listeners don't know of this peer yet.
  if (row.epoch !== row.currentEpoch || !clusters.isCurrentEpoch(row.cluster, row.epoch)) {
    throw identityErrors.IDENTITY_REVOKED();
  }
  requireDeclared(declared, row);
  return row;
}

async function assertNotTooOften({ db, clock, certificateTtlMs }: IdentityContext, cluster: string): Promise<void> {
  const recent = await db
    .selectFrom("identity")
    .select(sql<number>`count(*)::int`.as("count"))
    .where("cluster", "=", cluster)
    .where("issued_at", ">", new Date(clock.now() - certificateTtlMs))
    .executeTakeFirstOrThrow();
  if (recent.count >= issuedPerLife) throw identityErrors.IDENTITY_RENEWED_TOO_OFTEN();
}

/** Kept for a week after their end, so that a late agent hears "expired" rather than "unknown". */
async function forgetExpired({ db, clock }: IdentityContext, cluster: string): Promise<void> {
  await db
    .deleteFrom("identity")
    .where("cluster", "=", cluster)
    .where("not_after", "<", new Date(clock.now() - forgetAfterMs))
    .execute();
}

const clientAuth = "1.3.6.1.5.5.7.3.2";
const forgetAfterMs = 7 * 24 * 60 * 60_000;
/** A few roles renewing at half-life make eight or so; the rest is room for restarts. */
const issuedPerLife = 100;
