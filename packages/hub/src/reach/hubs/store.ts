// The SQL of hubs and of the links that they hold. Whether a hub lives is judged by the database's clock alone.
import { type Kysely, sql } from "kysely";
import type { Changes } from "../../platform/changes/index.ts";
import { refuseOlderHub, type Tables } from "../../platform/store/index.ts";
import { readFacts } from "./announced-link.ts";
import { hubsErrors } from "./errors.ts";
import type { AnnouncedLink, JoinedHub, OtherHub, OwnHub } from "./types.ts";

export interface HubStore {
  /**
   * Says that the hub lives. True when nobody knew it: it is new, or was taken for dead. Throws STORE_NEWER when it can't
   * use the tables any more.
   */
  beat(self: OwnHub): Promise<boolean>;
  /** Removes hubs that fell silent, and their links. */
  buryDead(): Promise<void>;
  leave(id: string): Promise<void>;
  /** Those that aren't buried, in the order of their ids. */
  list(): Promise<(JoinedHub & { readonly isSilent: boolean })[]>;
  /** The same, for people. */
  listMembers(): Promise<MemberRow[]>;
  /** The hub holds these links now, and no longer those. Throws HUB_FORGOTTEN when it was taken for dead. */
  announce(news: Announcement): Promise<void>;
  /** Those of other hubs that changed after this one, the oldest change first; at most `limit`. */
  listChanged(self: string, after: LinkCursor, limit: number): Promise<ChangedLink[]>;
}

export interface MemberRow extends OtherHub {
  readonly since: Date;
  readonly silentMs: number;
}

export interface Announcement {
  readonly hub: string;
  /** New or changed. */
  readonly links: readonly AnnouncedRow[];
  readonly endedIds: readonly string[];
}

export interface AnnouncedRow {
  readonly id: string;
  readonly cluster: string;
  readonly facts: string;
}

export interface LinkCursor {
  readonly revision: string;
  readonly id: string;
}

export interface ChangedLink extends LinkCursor {
  readonly hub: string;
  readonly joined: string;
  /** Undefined when it ended. */
  readonly link: AnnouncedLink | undefined;
}

export function createHubStore({ db, changes }: { readonly db: Kysely<Tables>; readonly changes: Changes }): HubStore {
  return {
    async beat({ id, address, version, schemaVersion }) {
      // A row that nobody has buried counts, however old it is: all hubs are silent while the database is away.
      const { rows } = await sql`
        update hub set heartbeat_at = clock_timestamp() where id = ${id} returning id
      `.execute(db);
      if (rows.length > 0) return false;
      await changes.commit("hubs", async (trx) => {
        // With its links: all of them are announced again.
        await trx.deleteFrom("hub").where("id", "=", id).execute();
        await sql`
          insert into hub (id, address, version, schema_version, started_at, heartbeat_at)
          values (${id}, ${address}, ${version}, ${schemaVersion}, clock_timestamp(), clock_timestamp())
        `.execute(trx);
        await refuseOlderHub(trx, schemaVersion);
      });
      return true;
    },

    async buryDead() {
      const isDead = sql<boolean>`heartbeat_at <= clock_timestamp() - ${silence}::interval`;
      const dead = await db.selectFrom("hub").select("id").where(isDead).execute();
      if (dead.length > 0) {
        await changes.commit("hubs", (trx) => trx.deleteFrom("hub").where(isDead).execute());
      }
      await sql`delete from hub_link where ended_at < clock_timestamp() - interval '1 minute'`.execute(db);
    },

    async leave(id) {
      await changes.commit("hubs", (trx) => trx.deleteFrom("hub").where("id", "=", id).execute());
    },

    list: () =>
      db
        .selectFrom("hub")
        .select(["id", "address", "version", joinedColumn])
        .select(sql<boolean>`heartbeat_at <= clock_timestamp() - ${silence}::interval`.as("isSilent"))
        .orderBy("id")
        .execute(),

    listMembers: () =>
      db
        .selectFrom("hub")
        .select(["id", "address", "version", "started_at as since"])
        .select(
          sql<number>`greatest(0, extract(epoch from clock_timestamp() - heartbeat_at) * 1000)::integer`.as("silentMs"),
        )
        .orderBy("id")
        .execute(),

    async announce({ hub, links, endedIds }) {
      await db.transaction().execute(async (trx) => {
        // First, since all rows get the value: who reads by revision passes none that commits later.
        await changes.raise(trx, "links");
        // Held until the end: whoever buries the hub waits, and takes these along.
        const known = await sql`select from hub where id = ${hub} for key share`.execute(trx);
        if (known.rows.length === 0) throw hubsErrors.HUB_FORGOTTEN();
        await sql`
          with counter as (select value from change_counter where topic = 'links'),
            ended as (
              update hub_link set revision = counter.value, ended_at = clock_timestamp() from counter
              where id = any(${endedIds}::text[])
            )
          insert into hub_link (id, hub, cluster, revision, facts)
          select l.id, ${hub}, l.cluster, counter.value, l.facts::jsonb
          from counter, unnest(
            ${links.map(({ id }) => id)}::text[], ${links.map(({ cluster }) => cluster)}::text[],
            ${links.map(({ facts }) => facts)}::text[]
          ) l (id, cluster, facts)
          on conflict (id) do update set revision = excluded.revision, ended_at = null, facts = excluded.facts
        `.execute(trx);
      });
      changes.hint("links");
    },

    async listChanged(self, { revision, id }, limit) {
      const { rows } = await sql<HubLinkRow>`
        select l.id, l.hub, l.cluster, l.revision::text as revision, l.ended_at is not null as has_ended, l.facts,
          ${joinedColumn}
        from hub_link l join hub on hub.id = l.hub
        where (l.revision, l.id) > (${revision}::bigint, ${id}) and l.hub <> ${self}
        order by l.revision, l.id limit ${limit}
      `.execute(db);
      return rows.map((row) => ({
        revision: row.revision,
        id: row.id,
        hub: row.hub,
        joined: row.joined,
        link: row.has_ended ? undefined : readFacts(row),
      }));
    },
  };
}

interface HubLinkRow {
  readonly id: string;
  readonly hub: string;
  readonly cluster: string;
  readonly revision: string;
  readonly joined: string;
  readonly has_ended: boolean;
  readonly facts: unknown;
}

const joinedColumn = sql<string>`hub.started_at::text`.as("joined");
const silence = "6 seconds";
