import { type ClusterIdentity, roleNames } from "@fairlead/contract";
import type { Role } from "@fairlead/protocol";
import { sql } from "kysely";
import type { IdentityContext } from "./types.ts";

/** Lists an entry per key and role set, from all its certificates; the newest first. */
export async function listIdentities({ db }: IdentityContext, cluster: string): Promise<ClusterIdentity[]> {
  const rows = await db
    .selectFrom("identity")
    .leftJoin("cluster_revocation", (join) =>
      join
        .onRef("cluster_revocation.cluster", "=", "identity.cluster")
        .onRef("cluster_revocation.epoch", "=", "identity.epoch"),
    )
    .select(["serial", "roles", "key_thumbprint", "issued_at", "not_after", "cluster_revocation.revoked_at"])
    .where("identity.cluster", "=", cluster)
    .orderBy("issued_at", "desc")
    .limit(shownCertificates)
    .execute();

  const byKey = Map.groupBy(rows, (row) => `${row.key_thumbprint} ${row.roles.join()}`);
  return [...byKey.values()].flatMap((certificates) => {
    const [newest] = certificates;
    const oldest = certificates.at(-1);
    if (!newest || !oldest) return [];
    return {
      keyThumbprint: newest.key_thumbprint,
      roles: newest.roles,
      enrolledAt: oldest.issued_at.toISOString(),
      serial: newest.serial,
      notAfter: newest.not_after.toISOString(),
      ...(newest.revoked_at ? { revokedAt: newest.revoked_at.toISOString() } : {}),
    };
  });
}

/** Roles of the identities that are good now, by cluster. */
export async function listRoles({ db, clock }: IdentityContext): Promise<ReadonlyMap<string, Role[]>> {
  const rows = await db
    .selectFrom("identity")
    .innerJoin("cluster", (join) =>
      join.onRef("cluster.name", "=", "identity.cluster").onRef("cluster.epoch", "=", "identity.epoch"),
    )
    .select(["identity.cluster", "identity.roles"])
    .distinct()
    .where("not_after", ">", new Date(clock.now()))
    .execute();
  const byCluster = Map.groupBy(rows, ({ cluster }) => cluster);
  return new Map(
    [...byCluster].map(([cluster, identities]) => [
      cluster,
      roleNames.filter((role) => identities.some(({ roles }) => roles.includes(role))),
    ]),
  );
}

/** An identity whose time is over counts, too: its agent may be away for a while, and enroll again. */
export async function hasHadRole(
  { db }: IdentityContext,
  { cluster, role }: { readonly cluster: string; readonly role: Role },
): Promise<boolean> {
  const row = await db
    .selectFrom("identity")
    .innerJoin("cluster", (join) =>
      join.onRef("cluster.name", "=", "identity.cluster").onRef("cluster.epoch", "=", "identity.epoch"),
    )
    .select("identity.cluster")
    .where("identity.cluster", "=", cluster)
    .where(sql<boolean>`${role} = any (identity.roles)`)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

export async function listHavingHadRole({ db }: IdentityContext, role: Role): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom("identity")
    .innerJoin("cluster", (join) =>
      join.onRef("cluster.name", "=", "identity.cluster").onRef("cluster.epoch", "=", "identity.epoch"),
    )
    .select("identity.cluster")
    .distinct()
    .where(sql<boolean>`${role} = any (identity.roles)`)
    .execute();
  return new Set(rows.map(({ cluster }) => cluster));
}

const shownCertificates = 200;
