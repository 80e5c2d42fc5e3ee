// Withdraws credentials of a backup: they may have been withdrawn since it was made. Those that are easy to get again
// end with each restore. Those that cost a visit to each cluster and program end only when it is asked for.
import type { Client } from "pg";

export async function distrust(client: Client, { revokesIssued }: { readonly revokesIssued: boolean }): Promise<void> {
  // A join token that was used since would be good for another agent.
  for (const table of ["session", "oidc_waiting", "join_token", "hub"]) await client.query(`delete from ${table}`);
  if (!revokesIssued) return;
  await client.query("delete from robot_token");
  await client.query(`
    with revoked as (
      update cluster set epoch = epoch + 1, version = version + 1, revoked_at = clock_timestamp(),
        revoked_reason = 'restored from a backup'
      returning name, epoch, revoked_at
    ), noted as (
      insert into cluster_event (cluster, at, level, type, message)
      select name, revoked_at, 'warning', 'revoked', 'Join tokens and identities are revoked: restored from a backup.'
      from revoked
    )
    insert into cluster_revocation (cluster, epoch, revoked_at) select name, epoch - 1, revoked_at from revoked`);
}
