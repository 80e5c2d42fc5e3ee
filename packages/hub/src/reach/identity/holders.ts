// Says by which authority's certificates agents go. A certificate counts until it ends or is revoked, or until its agent is
// known to have a newer one for the same key.
import type { AgentIdentity, CertificateHolder, IdentityContext } from "./types.ts";

export async function listHolders({ db, clock }: IdentityContext): Promise<CertificateHolder[]> {
  const rows = await db
    .selectFrom("identity")
    .innerJoin("cluster", (join) =>
      join.onRef("cluster.name", "=", "identity.cluster").onRef("cluster.epoch", "=", "identity.epoch"),
    )
    .select(["identity.cluster", "identity.roles", "key_thumbprint", "issuer", "issued_at", "confirmed_at"])
    .where("not_after", ">", new Date(clock.now()))
    .orderBy("issued_at", "desc")
    .execute();
  const byAgent = Map.groupBy(rows, (row) => `${row.cluster} ${row.key_thumbprint} ${row.roles.join()}`);
  return [...byAgent.values()].flatMap((certificates) => {
    const [newest] = certificates;
    if (!newest) return [];
    const { cluster, roles, key_thumbprint: keyThumbprint } = newest;
    const known = certificates.findIndex((row) => row.confirmed_at !== null);
    const counting = known < 0 ? certificates : certificates.slice(0, known + 1);
    return { cluster, roles, keyThumbprint, issuers: new Set(counting.map(({ issuer }) => issuer ?? "")) };
  });
}

/** The agent has this certificate of its own, and goes by no older one any more. */
export async function confirmCertificate(
  { db, clock }: IdentityContext,
  { peer, serial }: { readonly peer: Pick<AgentIdentity, "cluster" | "keyThumbprint">; readonly serial: string },
): Promise<void> {
  await db
    .updateTable("identity")
    .set({ confirmed_at: new Date(clock.now()) })
    .where("serial", "=", serial)
    .where("cluster", "=", peer.cluster)
    .where("key_thumbprint", "=", peer.keyThumbprint)
    .where("confirmed_at", "is", null)
    .execute();
}
