import type { TokenScope } from "@fairlead/contract";
import { type Kysely, sql } from "kysely";
import type { Tables } from "../../../platform/store/index.ts";

/** As it is kept. Times are milliseconds since the epoch. */
export interface RobotRecord {
  readonly name: string;
  readonly uid: string;
  readonly description: string | undefined;
  /** The longest life that its tokens may have. */
  readonly ttlMs: number;
  readonly createdMs: number;
  /** Uids of those who made it; an account that a file declares or the hub makes for itself has none. */
  readonly madeBy?: readonly string[] | undefined;
}

export interface RobotTokenRecord {
  readonly id: string;
  readonly robot: string;
  readonly sha256: string;
  readonly scope: TokenScope | undefined;
  readonly createdMs: number;
  readonly expiresMs: number;
  readonly lastUsedMs: number | undefined;
  readonly madeBy?: readonly string[] | undefined;
  /** Id of the robot's token with which it was made, and with which it ends. */
  readonly parent?: string | undefined;
}

export interface RobotStore {
  load(): Promise<{ robots: RobotRecord[]; tokens: RobotTokenRecord[] }>;
  /** False when the name is taken. */
  insert(robot: RobotRecord): Promise<boolean>;
  /** Also in the place of one that has the name, whose uid stays. */
  put(robot: RobotRecord): Promise<void>;
  /** Not another one that has the name since. */
  remove(robot: RobotRecord): Promise<void>;
  /** False when the robot is gone. */
  insertToken(token: RobotTokenRecord, robot: RobotRecord): Promise<boolean>;
  /** With all that were made with it. */
  removeToken(id: string): Promise<void>;
  findTokens(sha256s: readonly string[]): Promise<Pick<RobotTokenRecord, "sha256" | "expiresMs">[]>;
  touch(uses: ReadonlyMap<string, number>): Promise<void>;
  loadUses(since: Date): Promise<{ readonly id: string; readonly lastUsedMs: number }[]>;
}

export function createRobotStore(db: Kysely<Tables>): RobotStore {
  return {
    async load() {
      const robots = await db.selectFrom("robot").selectAll().execute();
      const tokens = await db.selectFrom("robot_token").selectAll().orderBy("created_at").execute();
      return {
        robots: robots.map(({ name, uid, description, ttl_ms, created_at, made_by: madeBy }) => ({
          name,
          uid,
          description: description ?? undefined,
          ttlMs: Number(ttl_ms),
          createdMs: created_at.getTime(),
          madeBy,
        })),
        tokens: tokens.map((row) => ({
          id: row.id,
          robot: row.robot,
          sha256: row.secret_sha256,
          scope: (row.scope as TokenScope | null) ?? undefined,
          createdMs: row.created_at.getTime(),
          expiresMs: row.expires_at.getTime(),
          lastUsedMs: row.last_used_at?.getTime(),
          madeBy: row.made_by,
          parent: row.parent ?? undefined,
        })),
      };
    },

    async insert({ name, uid, description = null, ttlMs, createdMs, madeBy = [] }) {
      const row = await db
        .insertInto("robot")
        .values({ name, uid, description, ttl_ms: ttlMs, created_at: new Date(createdMs), made_by: [...madeBy] })
        .onConflict((conflict) => conflict.column("name").doNothing())
        .returning("name")
        .executeTakeFirst();
      return row !== undefined;
    },

    async put({ name, uid, description = null, ttlMs, createdMs, madeBy = [] }) {
      const changed = { description, ttl_ms: ttlMs, made_by: [...madeBy] };
      await db
        .insertInto("robot")
        .values({ name, uid, created_at: new Date(createdMs), ...changed })
        .onConflict((conflict) => conflict.column("name").doUpdateSet(changed))
        .execute();
    },

    async remove({ name, uid }) {
      await db.deleteFrom("robot").where("name", "=", name).where("uid", "=", uid).execute();
    },

    async insertToken({ id, sha256, scope, createdMs, expiresMs, madeBy = [], parent = null }, { name, uid }) {
      const { numAffectedRows } = await sql`
        insert into robot_token (id, robot, secret_sha256, scope, created_at, expires_at, made_by, parent)
        select ${id}, name, ${sha256}, ${scope === undefined ? null : JSON.stringify(scope)}::jsonb,
          ${new Date(createdMs)}::timestamptz, ${new Date(expiresMs)}::timestamptz, ${[...madeBy]}::text[], ${parent}::text
        from robot where name = ${name} and uid = ${uid} for key share
      `.execute(db);
      return numAffectedRows === 1n;
    },

    async removeToken(id) {
      await db.deleteFrom("robot_token").where("id", "=", id).execute();
    },

    async findTokens(sha256s) {
      const rows = await db
        .selectFrom("robot_token")
        .select(["secret_sha256", "expires_at"])
        .where("secret_sha256", "=", sql<string>`any(${[...sha256s]}::text[])`)
        .execute();
      return rows.map(({ secret_sha256, expires_at }) => ({ sha256: secret_sha256, expiresMs: expires_at.getTime() }));
    },

    async touch(uses) {
      // In the order of ids, so that two hubs don't wait for each other.
      const rows = [...uses]
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([id, usedMs]) => sql`(${id}::text, ${new Date(usedMs)}::timestamptz)`);
      await sql`
        with used (id, at) as (values ${sql.join(rows)}),
        locked as (select id from robot_token where id in (select id from used) order by id for no key update)
        update robot_token set last_used_at = greatest(robot_token.last_used_at, used.at)
        from used join locked using (id) where robot_token.id = used.id
      `.execute(db);
    },

    async loadUses(since) {
      const rows = await db
        .selectFrom("robot_token")
        .select(["id", "last_used_at"])
        .where("last_used_at", ">=", since)
        .execute();
      return rows.map(({ id, last_used_at }) => ({ id, lastUsedMs: last_used_at?.getTime() ?? 0 }));
    },
  };
}
