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
}

export interface RobotTokenRecord {
  readonly id: string;
  readonly robot: string;
  readonly sha256: string;
  readonly scope: TokenScope | undefined;
  readonly createdMs: number;
  readonly expiresMs: number;
  readonly lastUsedMs: number | undefined;
}

export interface RobotStore {
  load(): Promise<{ robots: RobotRecord[]; tokens: RobotTokenRecord[] }>;
  /** False when the name is taken. */
  insert(robot: RobotRecord): Promise<boolean>;
  /** Not another one that has the name since. */
  remove(robot: RobotRecord): Promise<void>;
  /** False when the robot is gone. */
  insertToken(token: RobotTokenRecord, robot: RobotRecord): Promise<boolean>;
  removeToken(id: string): Promise<void>;
  touch(uses: ReadonlyMap<string, number>): Promise<void>;
}

export function createRobotStore(db: Kysely<Tables>): RobotStore {
  return {
    async load() {
      const robots = await db.selectFrom("robot").selectAll().execute();
      const tokens = await db.selectFrom("robot_token").selectAll().orderBy("created_at").execute();
      return {
        robots: robots.map(({ name, uid, description, ttl_ms, created_at }) => ({
          ...{ name, uid, description: description ?? undefined },
          ...{ ttlMs: Number(ttl_ms), createdMs: created_at.getTime() },
        })),
        tokens: tokens.map((row) => ({
          id: row.id,
          robot: row.robot,
          sha256: row.secret_sha256,
          scope: (row.scope as TokenScope | null) ?? undefined,
          createdMs: row.created_at.getTime(),
          expiresMs: row.expires_at.getTime(),
          lastUsedMs: row.last_used_at?.getTime(),
        })),
      };
    },

    async insert({ name, uid, description = null, ttlMs, createdMs }) {
      const row = await db
        .insertInto("robot")
        .values({ name, uid, description, ttl_ms: ttlMs, created_at: new Date(createdMs) })
        .onConflict((conflict) => conflict.column("name").doNothing())
        .returning("name")
        .executeTakeFirst();
      return row !== undefined;
    },

    async remove({ name, uid }) {
      await db.deleteFrom("robot").where("name", "=", name).where("uid", "=", uid).execute();
    },

    async insertToken({ id, sha256, scope, createdMs, expiresMs }, { name, uid }) {
      const { numAffectedRows } = await sql`
        insert into robot_token (id, robot, secret_sha256, scope, created_at, expires_at)
        select ${id}, name, ${sha256}, ${scope === undefined ? null : JSON.stringify(scope)}::jsonb,
          ${new Date(createdMs)}::timestamptz, ${new Date(expiresMs)}::timestamptz
        from robot where name = ${name} and uid = ${uid} for key share
      `.execute(db);
      return numAffectedRows === 1n;
    },

    async removeToken(id) {
      await db.deleteFrom("robot_token").where("id", "=", id).execute();
    },

    async touch(uses) {
      const rows = [...uses].map(([id, usedMs]) => sql`(${id}::text, ${new Date(usedMs)}::timestamptz)`);
      await sql`
        update robot_token set last_used_at = used.at
        from (values ${sql.join(rows)}) as used (id, at) where robot_token.id = used.id
      `.execute(db);
    },
  };
}
