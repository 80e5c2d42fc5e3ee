import type { Kysely } from "kysely";
import type { Tables } from "../../platform/store/index.ts";

/** The epoch of the cluster's identities, which stays as it is until the transaction's end. Undefined: no such cluster. */
export async function lockEpoch(trx: Kysely<Tables>, cluster: string): Promise<number | undefined> {
  const row = await trx
    .selectFrom("cluster")
    .select("epoch")
    .where("name", "=", cluster)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row?.epoch;
}

/**
 * Until the transaction's end the cluster is neither revoked nor removed, so what is issued in it was never issued after
 * a revocation that was answered. False when that came first.
 */
export async function holdCluster(
  trx: Kysely<Tables>,
  { cluster, epoch }: { readonly cluster: string; readonly epoch: number },
): Promise<boolean> {
  return (await lockEpoch(trx, cluster)) === epoch;
}
