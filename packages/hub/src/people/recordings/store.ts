import type { Recording, RecordingList, RecordingListQuery } from "@fairlead/contract";
import type { Kysely, Selectable } from "kysely";
import type { Tables } from "../../platform/store/index.ts";

/** The SQL of this room. */
export interface RecordingStore {
  insert(recording: NewRecording): Promise<void>;
  finish(file: string, end: FinishedRecording): Promise<void>;
  /** Ends recordings that a hub which is gone left running. */
  abandon(reason: string): Promise<void>;
  list(query: RecordingListQuery): Promise<RecordingList>;
  /** The newest of this request. */
  find(requestId: string): Promise<{ readonly file: string; readonly cluster: string } | undefined>;
  /** Forgets what began before, and names the files; at most so many at once. */
  prune(before: Date, limit: number): Promise<string[]>;
}

export interface NewRecording extends Omit<Recording, "at" | "state" | "sizeBytes"> {
  readonly at: Date;
  readonly file: string;
}

export interface FinishedRecording {
  readonly state: "complete" | "cut";
  readonly reason: string | undefined;
  readonly sizeBytes: number;
  readonly durationMs: number;
}

export function createRecordingStore(db: Kysely<Tables>): RecordingStore {
  return {
    async insert({ requestId, at, user, cluster, namespace, pod, container, kind, file }) {
      await db
        .insertInto("recording")
        .values({
          ...{ request_id: requestId, at, principal: user, cluster, namespace, pod, kind, file },
          ...{ container: container ?? null, state: "running", reason: null, size_bytes: 0, duration_ms: null },
        })
        .execute();
    },

    async finish(file, { state, reason, sizeBytes, durationMs }) {
      await db
        .updateTable("recording")
        .set({ state, reason: reason ?? null, size_bytes: sizeBytes, duration_ms: durationMs })
        .where("file", "=", file)
        .execute();
    },

    async abandon(reason) {
      await db.updateTable("recording").set({ state: "cut", reason }).where("state", "=", "running").execute();
    },

    async list({ user, cluster, since, until, cursor, limit = 100 }) {
      let query = db
        .selectFrom("recording")
        .selectAll()
        .orderBy("seq", "desc")
        .limit(limit + 1);
      if (user !== undefined) query = query.where("principal", "=", user);
      if (cluster !== undefined) query = query.where("cluster", "=", cluster);
      if (since !== undefined) query = query.where("at", ">=", new Date(since));
      if (until !== undefined) query = query.where("at", "<", new Date(until));
      if (cursor !== undefined) query = query.where("seq", "<=", Number(cursor));
      const rows = await query.execute();
      const next = rows.length > limit ? rows.pop() : undefined;
      return { items: rows.map(toRecording), ...(next && { next: String(next.seq) }) };
    },

    async find(requestId) {
      return await db
        .selectFrom("recording")
        .select(["file", "cluster"])
        .where("request_id", "=", requestId)
        .orderBy("seq", "desc")
        .limit(1)
        .executeTakeFirst();
    },

    async prune(before, limit) {
      const old = db.selectFrom("recording").select("seq").where("at", "<", before).where("state", "!=", "running");
      const rows = await db
        .deleteFrom("recording")
        .where("seq", "in", old.orderBy("seq").limit(limit))
        .returning("file")
        .execute();
      return rows.map(({ file }) => file);
    },
  };
}

function toRecording(row: Selectable<Tables["recording"]>): Recording {
  return {
    ...{ requestId: row.request_id, at: row.at.toISOString(), user: row.principal, cluster: row.cluster },
    ...{ namespace: row.namespace, pod: row.pod, kind: row.kind as Recording["kind"] },
    ...(row.container !== null && { container: row.container }),
    state: row.state as Recording["state"],
    ...(row.reason !== null && { reason: row.reason }),
    sizeBytes: Number(row.size_bytes),
    ...(row.duration_ms !== null && { durationMs: row.duration_ms }),
  };
}
