// Enrollment: a join token and a proven key become an identity. Each role of a token goes to the first key that asks
// for it, by a primary key in the database: of two at once one wins, whichever hub they ask. The winner may ask again
// while the token lives (its answer may have been lost) and gets the same certificate; anyone else raises an alarm.
import { X509Certificate } from "node:crypto";
import type { Role } from "@fairlead/protocol";
import { readCsr } from "@fairlead/protocol/x509";
import type { Kysely } from "kysely";
import type { Tables } from "../../platform/store/index.ts";
import { identityErrors } from "./errors.ts";
import { holdCluster } from "./hold-cluster.ts";
import { type IssuedIdentity, issueIdentity } from "./issue-identity.ts";
import { findJoinToken, type JoinTokenRow } from "./join-tokens.ts";
import type { Enrollment, EnrollOptions, IdentityContext } from "./types.ts";

export async function enroll(context: IdentityContext, options: EnrollOptions): Promise<Enrollment> {
  const { db, pki, clusters } = context;
  const { csrDer, remoteAddress } = options;
  const token = await findJoinToken(context, options);
  const { keyThumbprint } = await readCsr(csrDer);
  const roles = token.roles.filter((role) => options.roles.includes(role));
  const claim: Claim = { token, roles, csrDer, keyThumbprint };

  const { identity, isNew } = await db
    .transaction()
    .execute((trx) => claimRoles(context, { ...claim, trx }))
    .catch(async (error: unknown) => {
      if (identityErrors.is(error, "ENROLL_TOKEN_USED")) await raiseAlarm();
      throw error;
    });

  if (isNew) {
    const message = `Key ${keyThumbprint.slice(0, 16)} enrolled from ${remoteAddress} for the roles ${roles.join(", ")}.`;
    await clusters.recordEnrollment(token.cluster, { epoch: token.epoch, roles, message });
  }
  return {
    cluster: token.cluster,
    roles,
    certificateChainPem: identity.certificatePem,
    caPem: pki.caPem,
    trustDomain: pki.trustDomain,
    notAfter: identity.notAfter,
  };

  function raiseAlarm(): Promise<void> {
    const message = `A join token that was used before came again from ${remoteAddress} with another key (${keyThumbprint.slice(0, 16)}). Someone else may have the token.`;
    return clusters.recordEvent(token.cluster, { type: "token-misused", level: "alarm", message });
  }
}

interface Claim {
  readonly token: JoinTokenRow;
  readonly roles: readonly Role[];
  readonly csrDer: Uint8Array;
  readonly keyThumbprint: string;
}

/** Throwing rolls back, so a refused request claims nothing. */
async function claimRoles(
  context: IdentityContext,
  claim: Claim & { readonly trx: Kysely<Tables> },
): Promise<{ readonly identity: IssuedIdentity; readonly isNew: boolean }> {
  const { trx, token, roles, csrDer, keyThumbprint } = claim;
  if (!(await holdCluster(trx, token))) throw identityErrors.ENROLL_TOKEN_REVOKED();
  await trx
    .insertInto("join_claim")
    .values(roles.map((role) => ({ token_id: token.id, role, key_thumbprint: keyThumbprint, serial: null })))
    .onConflict((conflict) => conflict.columns(["token_id", "role"]).doNothing())
    .execute();
  const holders = await trx
    .selectFrom("join_claim")
    .select(["key_thumbprint", "serial"])
    .where("token_id", "=", token.id)
    .where("role", "in", roles)
    .execute();
  if (holders.some((holder) => holder.key_thumbprint !== keyThumbprint)) throw identityErrors.ENROLL_TOKEN_USED();

  const earlier = await findEarlier(context, { ...claim, serials: holders.map((holder) => holder.serial) });
  if (earlier) return { identity: earlier, isNew: false };

  const { cluster, epoch } = token;
  const identity = await issueIdentity(context, { trx, cluster, roles, epoch, csrDer });
  await trx
    .updateTable("join_claim")
    .set({ serial: identity.serial })
    .where("token_id", "=", token.id)
    .where("role", "in", roles)
    .execute();
  return { identity, isNew: true };
}

/** The certificate given out for exactly these roles before, unless it has ended meanwhile. */
async function findEarlier(
  context: IdentityContext,
  claim: Claim & { readonly trx: Kysely<Tables>; readonly serials: readonly (string | null)[] },
): Promise<IssuedIdentity | undefined> {
  const [serial] = claim.serials;
  if (!serial || claim.serials.some((each) => each !== serial)) return undefined;
  const row = await claim.trx.selectFrom("identity").selectAll().where("serial", "=", serial).executeTakeFirst();
  const isSame = row?.roles.length === claim.roles.length && row.not_after.getTime() > context.clock.now();
  // The authority may have been retired since.
  const issuer = isSame ? context.pki.issuerOf(new X509Certificate(row.certificate_pem)) : undefined;
  if (!isSame || issuer === undefined) return undefined;
  return { serial, issuer, certificatePem: row.certificate_pem, notAfter: row.not_after.getTime() };
}
