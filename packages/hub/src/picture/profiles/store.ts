// Profiles and choices in the database. What changes what a cluster is examined by raises its generation in the same
// transaction.
import { profileLimits, usualProfile } from "@fairlead/contract";
import { type Kysely, type Selectable, sql, type Transaction } from "kysely";
import type { Changes } from "../../platform/changes/index.ts";
import type { Tables } from "../../platform/store/index.ts";
import { profileErrors } from "./errors.ts";

export type ProfileRow = Selectable<Tables["profile"]>;
export type ChoiceRow = Selectable<Tables["profile_choice"]>;

export interface ProfileStore {
  find(name: string): Promise<ProfileRow | undefined>;
  list(): Promise<readonly Omit<ProfileRow, "content">[]>;
  /** The same again changes nothing. Throws PROFILE_TOO_MANY. */
  put(wanted: Pick<ProfileRow, "name" | "content" | "changed_by">): Promise<ProfileRow>;
  /** Throws PROFILE_NOT_FOUND, PROFILE_IN_USE. */
  remove(name: string): Promise<void>;
  findChoice(cluster: string): Promise<ChoiceRow | undefined>;
  listChoices(): Promise<readonly ChoiceRow[]>;
  /**
   * The same again changes nothing; undefined: nobody has chosen another one than the usual. Throws PROFILE_NOT_FOUND,
   * PROFILE_CLUSTER_NOT_FOUND.
   */
  choose(wanted: WantedChoice): Promise<ChoiceRow | undefined>;
}

export interface WantedChoice extends Pick<ChoiceRow, "cluster" | "profile" | "changed_by"> {
  /** It is in no table. */
  readonly isBuiltIn: boolean;
}

export function createProfileStore(options: {
  readonly db: Kysely<Tables>;
  readonly changes: Pick<Changes, "commit">;
  /** How many there may be. */
  readonly limit?: number | undefined;
}): ProfileStore {
  const { db, changes, limit = profileLimits.profiles } = options;
  return {
    find: (name) => find(db, name),
    list: () => db.selectFrom("profile").select(["name", "changed_by", "changed_at"]).orderBy("name").execute(),

    put: ({ name, content, changed_by }) =>
      inTurn(async (trx) => {
        const before = await find(trx, name);
        if (before?.content === content) return before;
        if (!before) await requireRoom(trx, limit);
        await sql`
          update profile_choice
          set generation = generation + 1, changed_by = ${changed_by}, changed_at = clock_timestamp()
          where profile = ${name}
        `.execute(trx);
        return await trx
          .insertInto("profile")
          .values({ name, content, changed_by })
          .onConflict((conflict) =>
            conflict.column("name").doUpdateSet({ content, changed_by, changed_at: sql<Date>`clock_timestamp()` }),
          )
          .returningAll()
          .executeTakeFirstOrThrow();
      }),

    remove: (name) =>
      inTurn(async (trx) => {
        const { count } = await trx
          .selectFrom("profile_choice")
          .select(({ fn }) => fn.countAll<number | string>().as("count"))
          .where("profile", "=", name)
          .executeTakeFirstOrThrow();
        if (Number(count) > 0) throw profileErrors.PROFILE_IN_USE({ name, count });
        const { numDeletedRows } = await trx.deleteFrom("profile").where("name", "=", name).executeTakeFirst();
        if (numDeletedRows === 0n) throw profileErrors.PROFILE_NOT_FOUND({ name });
      }),

    findChoice: (cluster) => findChoice(db, cluster),
    listChoices: () => db.selectFrom("profile_choice").selectAll().orderBy("cluster").execute(),

    choose: ({ cluster, profile, changed_by, isBuiltIn }) =>
      inTurn(async (trx) => {
        const before = await findChoice(trx, cluster);
        if (profile === (before?.profile ?? usualProfile)) return before;
        if (!isBuiltIn && !(await find(trx, profile))) throw profileErrors.PROFILE_NOT_FOUND({ name: profile });
        // From the cluster's own row: it may be removed at this moment.
        const { rows } = await sql<ChoiceRow>`
          insert into profile_choice (cluster, profile, generation, changed_by)
          select name, ${profile}, 1, ${changed_by} from cluster where name = ${cluster} for key share
          on conflict (cluster) do update set
            profile = excluded.profile,
            generation = profile_choice.generation + 1,
            changed_by = excluded.changed_by,
            changed_at = excluded.changed_at
          returning *
        `.execute(trx);
        const [chosen] = rows;
        if (!chosen) throw profileErrors.PROFILE_CLUSTER_NOT_FOUND();
        return chosen;
      }),
  };

  /** Makes changes one after another, so that no profile is removed while somebody chooses it. */
  function inTurn<Result>(work: (trx: Transaction<Tables>) => Promise<Result>): Promise<Result> {
    return changes.commit("profiles", async (trx) => {
      await sql`select pg_advisory_xact_lock(hashtext('fairlead profiles'))`.execute(trx);
      return await work(trx);
    });
  }
}

function find(db: Kysely<Tables>, name: string): Promise<ProfileRow | undefined> {
  return db.selectFrom("profile").selectAll().where("name", "=", name).executeTakeFirst();
}

function findChoice(db: Kysely<Tables>, cluster: string): Promise<ChoiceRow | undefined> {
  return db.selectFrom("profile_choice").selectAll().where("cluster", "=", cluster).executeTakeFirst();
}

async function requireRoom(trx: Transaction<Tables>, limit: number): Promise<void> {
  const { count } = await trx
    .selectFrom("profile")
    .select(({ fn }) => fn.countAll<number | string>().as("count"))
    .executeTakeFirstOrThrow();
  if (Number(count) >= limit) throw profileErrors.PROFILE_TOO_MANY({ limit });
}
