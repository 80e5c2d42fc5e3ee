// Join tokens: 256 random bits for one cluster and its roles. The hub keeps a hash; the agent gets the rest, with the
// fingerprint of the CA that it should trust.
import { createHash, timingSafeEqual } from "node:crypto";
import { tokenTtlLimits } from "@fairlead/contract";
import { createSecret, formatJoinToken, parseJoinToken } from "@fairlead/kernel";
import { isRole, type Role } from "@fairlead/protocol";
import type { Selectable } from "kysely";
import type { JoinTokenTable } from "../../platform/store/index.ts";
import { identityErrors, roleNotAllowed } from "./errors.ts";
import { requireDeclared } from "./require-declared.ts";
import type { IdentityContext, IssuedJoinToken, WantedJoinToken } from "./types.ts";

export type JoinTokenRow = Selectable<JoinTokenTable>;

export async function createJoinToken(context: IdentityContext, wanted: WantedJoinToken): Promise<IssuedJoinToken> {
  const { db, clusters, clock, pki, declared } = context;
  // Another hub may have made it just now.
  await clusters.meet(wanted.cluster);
  const { name: cluster, roles: ownRoles } = clusters.get(wanted.cluster);
  const { roles = ownRoles, tokenTtlMs: ttlMs = tokenTtlLimits.defaultMs } = wanted;
  assertRoles(roles);
  requireDeclared(declared, { cluster, roles, clusterRoles: ownRoles });
  if (!(ttlMs >= tokenTtlLimits.minMs && ttlMs <= tokenTtlLimits.maxMs))
    throw identityErrors.ENROLL_TOKEN_TTL_INVALID();

  const [id, secret] = [createSecret().slice(0, 20), createSecret()];
  const expiresAt = clock.now() + ttlMs;
  const { numInsertedOrUpdatedRows } = await db
    .insertInto("join_token")
    .columns(["id", "cluster", "roles", "epoch", "secret_sha256", "created_at", "expires_at"])
    .expression((eb) =>
      eb
        .selectFrom("cluster")
        .where("name", "=", cluster)
        .select(({ val, ref }) => [
          val(id).as("id"),
          ref("name").as("cluster"),
          val([...roles]).as("roles"),
          ref("epoch").as("epoch"),
          val(hashSecret(secret).toString("hex")).as("secret_sha256"),
          val(new Date(clock.now())).as("created_at"),
          val(new Date(expiresAt)).as("expires_at"),
        ])
        .forKeyShare(),
    )
    .executeTakeFirst();
  if (numInsertedOrUpdatedRows === 0n) clusters.get(cluster); // it was removed meanwhile
  const message = `Join token for the roles ${roles.join(", ")}, good until ${new Date(expiresAt).toISOString()}.`;
  await clusters.recordEvent(cluster, { type: "token-created", message });
  return { token: formatJoinToken({ id, secret, caFingerprint: pki.caFingerprint }), expiresAt };
}

/** The token's row, after everything was checked that needs no key. Throws ENROLL_TOKEN_*. */
export async function findJoinToken(
  context: IdentityContext,
  presented: { readonly token: string; readonly roles: readonly Role[] },
): Promise<JoinTokenRow> {
  const { db, pki, clock } = context;
  const token = parseJoinToken(presented.token);
  if (!token) throw identityErrors.ENROLL_TOKEN_MALFORMED();
  const row = await db
    .selectFrom("join_token")
    .innerJoin("cluster", "cluster.name", "join_token.cluster")
    .selectAll("join_token")
    .select(["cluster.epoch as currentEpoch", "cluster.roles as clusterRoles"])
    .where("join_token.id", "=", token.id)
    .executeTakeFirst();
  if (!row || !timingSafeEqual(hashSecret(token.secret), Buffer.from(row.secret_sha256, "hex")))
    throw identityErrors.ENROLL_TOKEN_UNKNOWN();
  // While one authority follows another, tokens may name either.
  if (!pki.caFingerprints.includes(token.caFingerprint)) throw identityErrors.ENROLL_TOKEN_FOREIGN();
  if (row.epoch !== row.currentEpoch) throw identityErrors.ENROLL_TOKEN_REVOKED();
  requireDeclared(context.declared, row);
  if (clock.now() > row.expires_at.getTime()) throw identityErrors.ENROLL_TOKEN_EXPIRED();
  assertRoles(presented.roles);
  if (!presented.roles.every((role) => row.roles.includes(role))) {
    throw roleNotAllowed({ cluster: row.cluster, wanted: presented.roles });
  }
  return row;
}

function assertRoles(roles: readonly unknown[]): void {
  const isSound = roles.length > 0 && new Set(roles).size === roles.length && roles.every(isRole);
  if (!isSound) throw identityErrors.ENROLL_ROLES_INVALID();
}

function hashSecret(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}
