// The identities that certificates on show are checked against. Thousands of agents come back at once after a hub's restart,
// so what is asked at the same time is read by one statement.
import { createRounds } from "@fairlead/kernel";
import type { Role } from "@fairlead/protocol";
import { type Kysely, type Selectable, sql } from "kysely";
import type { IdentityTable, Tables } from "../../platform/store/index.ts";

export interface LivingIdentity extends Selectable<IdentityTable> {
  /** The cluster's epoch by now. */
  readonly currentEpoch: number;
  /** Where it is declared, the declared ones. */
  readonly clusterRoles: readonly Role[];
  readonly withdrawnAt: Date | null;
}

export interface IdentityStore {
  /** As it is stored at or after the call. */
  find(serial: string): Promise<LivingIdentity | undefined>;
}

export function createIdentityStore(db: Kysely<Tables>): IdentityStore {
  return { find: createRounds({ most: mostAtOnce, run: findAll }) };

  async function findAll(serials: readonly string[]): Promise<(LivingIdentity | undefined)[]> {
    const rows = await db
      .selectFrom("identity")
      .innerJoin("cluster", "cluster.name", "identity.cluster")
      .leftJoin("declaration", (join) =>
        join.onRef("declaration.name", "=", "cluster.name").on("declaration.kind", "=", "Cluster"),
      )
      .selectAll("identity")
      .select([
        "cluster.epoch as currentEpoch",
        "cluster.roles as clusterRoles",
        "declaration.withdrawn_at as withdrawnAt",
      ])
      .where(sql<boolean>`identity.serial = any(${[...serials]}::text[])`)
      .execute();
    const bySerial = new Map(rows.map((row) => [row.serial, row]));
    return serials.map((serial) => bySerial.get(serial));
  }
}

const mostAtOnce = 200;
