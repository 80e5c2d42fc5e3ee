import { promisify } from "node:util";
import { constants, zstdCompress, zstdDecompress } from "node:zlib";
import { type Kysely, type Selectable, type SqlBool, sql } from "kysely";
import type { Tables } from "../../platform/store/index.ts";
import { auditErrors } from "./errors.ts";
import type { Block, Head, Span } from "./types.ts";

/** The SQL of this room. */
export interface AuditStore {
  readHead(): Promise<ChainEnds>;
  /** False when the chain's head isn't `from` (any more). */
  append(block: PackedBlock, from: Head): Promise<boolean>;
  /** Reads blocks that may hold what is wanted, from the one that `seq` is in or would be in. */
  read(options: ReadOptions): Promise<Block[]>;
  /** Deletes whole blocks from the oldest on, as long as all in them is older; how many, at most so many at once. */
  prune(before: Date): Promise<number>;
  /** Where blocks are that end before, oldest first. */
  readSpans(options: { readonly afterSeq: number; readonly before: Date; readonly limit: number }): Promise<Span[]>;
  /** Puts one block in the place of those that have its records; of so many, or of none. */
  replace(block: PackedBlock, count: number): Promise<void>;
  /** Lets the store use again what deleted rows took. */
}

/** `head` is the newest record, `anchor` the newest of those that were deleted. */
export interface ChainEnds {
  readonly head: Head;
  readonly anchor: Head;
}

export interface ReadOptions {
  readonly seq: number;
  readonly direction: "older" | "newer";
  readonly limit: number;
  readonly user?: string | undefined;
  readonly cluster?: string | undefined;
  readonly sinceMs?: number | undefined;
  readonly untilMs?: number | undefined;
}

export type PackedBlock = Omit<Block, "lines"> & { /** Base64 of compressed lines. */ readonly packed: string };

export async function packBlock({ lines, ...block }: Block): Promise<PackedBlock> {
  const packed = await compress(Buffer.from(lines.join("\n")), { params: fast });
  return { ...block, packed: packed.toString("base64") };
}

export function createAuditStore(db: Kysely<Tables>): AuditStore {
  return {
    async readHead() {
      const row = await db.selectFrom("audit_head").selectAll().executeTakeFirst();
      if (!row) throw auditErrors.AUDIT_DAMAGED({ seq: 0 });
      return {
        head: { seq: Number(row.last_seq), hash: row.last_hash },
        anchor: { seq: Number(row.anchor_seq), hash: row.anchor_hash },
      };
    },

    async append(block, from) {
      // A single statement is a transaction: the head never says other than the blocks. The bytes go as base64, and
      // come so, because the driver would write them as hexadecimal digits.
      const result = await sql`
        with moved as (
          update audit_head set last_seq = ${block.lastSeq}, last_hash = ${block.lastHash}
          where last_seq = ${from.seq} and last_hash = ${from.hash} returning id
        )
        insert into audit_block (first_seq, last_seq, first_at, last_at, users, clusters, last_hash, lines)
        select ${block.firstSeq}, ${block.lastSeq}, ${new Date(block.firstAt)}::timestamptz,
          ${new Date(block.lastAt)}::timestamptz, ${[...block.users]}::text[], ${[...block.clusters]}::text[],
          ${block.lastHash}, decode(${block.packed}, 'base64') from moved
      `.execute(db);
      return result.numAffectedRows === 1n;
    },

    async read({ seq, direction, limit, user, cluster, sinceMs, untilMs }) {
      let query = db
        .selectFrom("audit_block")
        .select(["first_seq", "last_seq", "first_at", "last_at", "users", "clusters", "last_hash"])
        .select(sql<string>`encode(lines, 'base64')`.as("packed"))
        .limit(limit);
      query =
        direction === "older"
          ? query.where("first_seq", "<=", seq).orderBy("first_seq", "desc")
          : query.where("last_seq", ">=", seq).orderBy("first_seq", "asc");
      if (user !== undefined) query = query.where(sql<SqlBool>`${user} = any (users)`);
      if (cluster !== undefined) query = query.where(sql<SqlBool>`${cluster} = any (clusters)`);
      if (sinceMs !== undefined) query = query.where("last_at", ">=", new Date(sinceMs));
      if (untilMs !== undefined) query = query.where("first_at", "<", new Date(untilMs));
      return await Promise.all((await query.execute()).map(unpackBlock));
    },

    async prune(before) {
      const result = await sql<{ last_seq: number | string; count: number | string }>`
        with gone as (
          delete from audit_block where first_seq in (
            select first_seq from audit_block
            where first_seq < coalesce((select min(first_seq) from audit_block where last_at >= ${before}::timestamptz), 9223372036854775807)
            order by first_seq limit ${prunedAtOnce}
          ) returning last_seq, last_hash
        ), newest as (select last_seq, last_hash, count(*) over () as count from gone order by last_seq desc limit 1)
        update audit_head set anchor_seq = newest.last_seq, anchor_hash = newest.last_hash from newest
        returning newest.count
      `.execute(db);
      return Number(result.rows[0]?.count ?? 0);
    },

    async readSpans({ afterSeq, before, limit }) {
      const rows = await db
        .selectFrom("audit_block")
        .select(["first_seq", "last_seq"])
        .where("first_seq", ">", afterSeq)
        .where("last_at", "<", before)
        .orderBy("first_seq")
        .limit(limit)
        .execute();
      return rows.map((row) => ({ firstSeq: Number(row.first_seq), lastSeq: Number(row.last_seq) }));
    },

    async replace(block, count) {
      await db.transaction().execute(async (trx) => {
        const gone = await trx
          .deleteFrom("audit_block")
          .where("first_seq", ">=", block.firstSeq)
          .where("last_seq", "<=", block.lastSeq)
          .executeTakeFirst();
        if (Number(gone.numDeletedRows) !== count) throw auditErrors.AUDIT_DAMAGED({ seq: block.firstSeq });
        await sql`
          insert into audit_block (first_seq, last_seq, first_at, last_at, users, clusters, last_hash, lines)
          values (${block.firstSeq}, ${block.lastSeq}, ${new Date(block.firstAt)}::timestamptz,
            ${new Date(block.lastAt)}::timestamptz, ${[...block.users]}::text[], ${[...block.clusters]}::text[],
            ${block.lastHash}, decode(${block.packed}, 'base64'))
        `.execute(trx);
      });
    },
  };
}

async function unpackBlock(row: PackedRow): Promise<Block> {
  const firstSeq = Number(row.first_seq);
  let text: string;
  try {
    text = (await decompress(Buffer.from(row.packed, "base64"), { maxOutputLength: maxBlockBytes })).toString("utf8");
  } catch (cause) {
    throw auditErrors.AUDIT_DAMAGED({ seq: firstSeq, cause });
  }
  return {
    firstSeq,
    lastSeq: Number(row.last_seq),
    firstAt: row.first_at.getTime(),
    lastAt: row.last_at.getTime(),
    users: row.users,
    clusters: row.clusters,
    lastHash: row.last_hash,
    lines: text.split("\n"),
  };
}

type PackedRow = Omit<Selectable<Tables["audit_block"]>, "lines"> & { readonly packed: string };

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);
const fast = { [constants.ZSTD_c_compressionLevel]: 1 };
const maxBlockBytes = 64 * 1024 * 1024;
const prunedAtOnce = 5_000;
