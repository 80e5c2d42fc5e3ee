import type { AccessRequestState, ClusterChoice } from "@fairlead/contract";
import type { Kysely, Selectable } from "kysely";
import type { Tables } from "../../../platform/store/index.ts";

/** Times are milliseconds since the epoch. */
export interface AccessRequestRecord {
  readonly id: string;
  readonly requesterUid: string;
  readonly requesterName: string;
  readonly role: string;
  readonly clusters: ClusterChoice;
  readonly ttlMs: number;
  readonly reason: string;
  readonly createdMs: number;
  readonly expiresMs: number;
  readonly state: AccessRequestState;
}

export interface AccessRequestStore {
  find(id: string): Promise<AccessRequestRecord | undefined>;
  /** The newest, newest first. */
  list(query: ListQuery): Promise<AccessRequestRecord[]>;
  /** Pending requests whose time isn't over. */
  countPending(nowMs: number, requesterUid?: string): Promise<number>;
  insert(record: AccessRequestRecord): Promise<void>;
  /** False when it isn't pending any more. */
  settle(id: string, state: AccessRequestState, nowMs: number): Promise<boolean>;
  /** Pending requests whose time is over. */
  listDue(nowMs: number): Promise<AccessRequestRecord[]>;
  /** All but so many of the requester's that ended. */
  trim(requesterUid: string, kept: number): Promise<void>;
  removeEnded(beforeMs: number): Promise<void>;
  /** Those of a user who is removed. */
  removeOf(requesterUid: string): Promise<void>;
}

interface ListQuery {
  readonly requesterUid?: string | undefined;
  readonly state?: AccessRequestState["kind"] | undefined;
  readonly nowMs: number;
  readonly limit: number;
}

export function createAccessRequestStore(db: Kysely<Tables>): AccessRequestStore {
  return {
    async find(id) {
      const row = await db.selectFrom("access_request").selectAll().where("id", "=", id).executeTakeFirst();
      return row && toRecord(row);
    },

    async list({ requesterUid, state, nowMs, limit }) {
      let query = db.selectFrom("access_request").selectAll();
      if (requesterUid !== undefined) query = query.where("requester_uid", "=", requesterUid);
      const now = new Date(nowMs);
      if (state === "pending") query = query.where("state_kind", "=", "pending").where("expires_at", ">", now);
      // Those that aren't swept up yet have expired, too.
      else if (state === "expired")
        query = query.where("state_kind", "in", ["expired", "pending"]).where("expires_at", "<=", now);
      else if (state !== undefined) query = query.where("state_kind", "=", state);
      const rows = await query.orderBy("created_at", "desc").orderBy("id", "desc").limit(limit).execute();
      return rows.map(toRecord);
    },

    async countPending(nowMs, requesterUid) {
      let query = db
        .selectFrom("access_request")
        .select(({ fn }) => fn.countAll<number>().as("pending"))
        .where("state_kind", "=", "pending")
        .where("expires_at", ">", new Date(nowMs));
      if (requesterUid !== undefined) query = query.where("requester_uid", "=", requesterUid);
      return Number((await query.executeTakeFirstOrThrow()).pending);
    },

    async insert(record) {
      await db
        .insertInto("access_request")
        .values({
          id: record.id,
          requester_uid: record.requesterUid,
          requester_name: record.requesterName,
          role: record.role,
          clusters: JSON.stringify(record.clusters),
          ttl_ms: record.ttlMs,
          reason: record.reason,
          created_at: new Date(record.createdMs),
          expires_at: new Date(record.expiresMs),
          state_kind: record.state.kind,
          state: JSON.stringify(record.state),
        })
        .execute();
    },

    async settle(id, state, nowMs) {
      const { numUpdatedRows } = await db
        .updateTable("access_request")
        .set({ state_kind: state.kind, state: JSON.stringify(state), ended_at: new Date(nowMs) })
        .where("id", "=", id)
        .where("state_kind", "=", "pending")
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    async listDue(nowMs) {
      const rows = await db
        .selectFrom("access_request")
        .selectAll()
        .where("state_kind", "=", "pending")
        .where("expires_at", "<=", new Date(nowMs))
        .execute();
      return rows.map(toRecord);
    },

    async trim(requesterUid, kept) {
      const old = db
        .selectFrom("access_request")
        .select("id")
        .where("requester_uid", "=", requesterUid)
        .where("state_kind", "<>", "pending")
        .orderBy("created_at", "desc")
        .orderBy("id", "desc")
        .offset(kept);
      await db.deleteFrom("access_request").where("id", "in", old).execute();
    },

    async removeEnded(beforeMs) {
      await db.deleteFrom("access_request").where("ended_at", "<", new Date(beforeMs)).execute();
    },

    async removeOf(requesterUid) {
      await db.deleteFrom("access_request").where("requester_uid", "=", requesterUid).execute();
    },
  };
}

function toRecord(row: Selectable<Tables["access_request"]>): AccessRequestRecord {
  return {
    id: row.id,
    requesterUid: row.requester_uid,
    requesterName: row.requester_name,
    role: row.role,
    clusters: row.clusters as ClusterChoice,
    ttlMs: Number(row.ttl_ms),
    reason: row.reason,
    createdMs: row.created_at.getTime(),
    expiresMs: row.expires_at.getTime(),
    state: row.state as AccessRequestState,
  };
}
