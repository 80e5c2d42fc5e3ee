import type { Recording, RecordingList, RecordingListQuery } from "@fairlead/contract";
import { type Kysely, type Selectable, sql } from "kysely";
import type { Tables } from "../../platform/store/index.ts";

/** The SQL of this room. */
export interface RecordingStore {
  /** Answers with its number. */
  insert(recording: NewRecording): Promise<number>;
  /** False when the recording isn't running any more. */
  addPiece(recording: number, number: number, bytes: Buffer): Promise<boolean>;
  readPieces(recording: number, from: number, limit: number): Promise<readonly Piece[]>;
  /** They are recorded still. */
  touch(recordings: readonly number[]): Promise<void>;
  finish(file: string, end: FinishedRecording): Promise<void>;
  /** Ends recordings that a hub which is gone left running: all, or those of which nobody has said for so long that they do. */
  abandon(reason: string, silentMs?: number): Promise<void>;
  list(query: RecordingListQuery): Promise<RecordingList>;
  /** The newest of this request. */
  find(requestId: string): Promise<FoundRecording | undefined>;
  /** Forgets what began before, with its pieces, and names it; at most so many at once. */
  prune(before: Date, limit: number): Promise<readonly FoundRecording[]>;
}

export interface NewRecording extends Omit<Recording, "at" | "state" | "sizeBytes"> {
  readonly at: Date;
  readonly file: string;
  readonly inPieces: boolean;
}

export interface FoundRecording {
  readonly recording: number;
  readonly file: string;
  readonly inPieces: boolean;
}

export interface Piece {
  readonly number: number;
  readonly bytes: Uint8Array;
}

export interface FinishedRecording {
  readonly state: "complete" | "cut";
  readonly reason: string | undefined;
  readonly sizeBytes: number;
  readonly durationMs: number;
}

export function createRecordingStore(db: Kysely<Tables>): RecordingStore {
  return {
    async insert({ requestId, at, user, cluster, namespace, pod, container, kind, file, inPieces }) {
      const { seq } = await db
        .insertInto("recording")
        .values({
          request_id: requestId,
          at,
          principal: user,
          cluster,
          namespace,
          pod,
          kind,
          file,
          container: container ?? null,
          state: "running",
          reason: null,
          size_bytes: 0,
          duration_ms: null,
          in_pieces: inPieces,
          alive_at: inPieces ? sql<Date>`now()` : null,
        })
        .returning("seq")
        .executeTakeFirstOrThrow();
      return Number(seq);
    },

    async addPiece(recording, number, bytes) {
      // Its row can't be given up or deleted meanwhile. The bytes go as base64: the driver would write twice as many digits.
      const { rows } = await sql<{ isRunning: boolean }>`
        with running as (select seq from recording where seq = ${recording} and state = 'running' for share), added as (
          insert into recording_piece (recording, number, bytes)
          select seq, ${number}, decode(${bytes.toString("base64")}, 'base64') from running
          on conflict (recording, number) do nothing
        )
        select exists (select from running) as "isRunning"
      `.execute(db);
      return rows[0]?.isRunning ?? false;
    },

    async readPieces(recording, from, limit) {
      const rows = await db
        .selectFrom("recording_piece")
        .select("number")
        .select(sql<string>`encode(bytes, 'base64')`.as("packed"))
        .where("recording", "=", recording)
        .where("number", ">=", from)
        .orderBy("number")
        .limit(limit)
        .execute();
      return rows.map(({ number, packed }) => ({ number, bytes: Buffer.from(packed, "base64") }));
    },

    async touch(recordings) {
      await sql`
        update recording set alive_at = now() where seq = any (${[...recordings]}::bigint[]) and state = 'running'
      `.execute(db);
    },

    async finish(file, { state, reason, sizeBytes, durationMs }) {
      await db
        .updateTable("recording")
        .set({ state, reason: reason ?? null, size_bytes: sizeBytes, duration_ms: durationMs })
        .where("file", "=", file)
        .execute();
    },

    async abandon(reason, silentMs) {
      const isSilent =
        silentMs === undefined
          ? sql<boolean>`true`
          : sql<boolean>`(alive_at is null or alive_at < now() - make_interval(secs => ${silentMs / 1_000}))`;
      await db
        .updateTable("recording")
        .set({ state: "cut", reason })
        .where("state", "=", "running")
        .where(isSilent)
        .execute();
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
      const row = await db
        .selectFrom("recording")
        .select(["seq", "file", "in_pieces"])
        .where("request_id", "=", requestId)
        .orderBy("seq", "desc")
        .limit(1)
        .executeTakeFirst();
      return row && toFound(row);
    },

    async prune(before, limit) {
      const old = db.selectFrom("recording").select("seq").where("at", "<", before).where("state", "!=", "running");
      const rows = await db
        .deleteFrom("recording")
        .where("seq", "in", old.orderBy("seq").limit(limit))
        .returning(["seq", "file", "in_pieces"])
        .execute();
      return rows.map(toFound);
    },
  };
}

function toFound(row: Pick<Selectable<Tables["recording"]>, "seq" | "file" | "in_pieces">): FoundRecording {
  return { recording: Number(row.seq), file: row.file, inPieces: row.in_pieces };
}

function toRecording(row: Selectable<Tables["recording"]>): Recording {
  return {
    requestId: row.request_id,
    at: row.at.toISOString(),
    user: row.principal,
    cluster: row.cluster,
    namespace: row.namespace,
    pod: row.pod,
    kind: row.kind as Recording["kind"],
    ...(row.container !== null && { container: row.container }),
    state: row.state as Recording["state"],
    ...(row.reason !== null && { reason: row.reason }),
    sizeBytes: Number(row.size_bytes),
    ...(row.duration_ms !== null && { durationMs: row.duration_ms }),
  };
}
