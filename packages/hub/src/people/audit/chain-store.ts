import { promisify } from "node:util";
import { constants, zstdCompress, zstdDecompress } from "node:zlib";
import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Tables } from "../../platform/store/index.ts";
import { auditErrors } from "./errors.ts";
import { type Block, firstChain, type Head, type Span } from "./types.ts";

/** A hub's chain of records. */
export interface ChainStore {
  /** Before the first record of a chain. */
  begin(hub: string): Promise<void>;
  /** Before the first record of a hub. Undefined when there is no such chain. */
  goOn(hub: string): Promise<ChainEnds | undefined>;
  readEnds(): Promise<ChainEnds | undefined>;
  /** False when the chain's head isn't `from` (any more). */
  append(block: PackedBlock, from: Head): Promise<boolean>;
  /** Reads blocks that may hold what is wanted, from the one that `seq` is in or would be in. */
  read(options: ReadOptions): Promise<Block[]>;
  /** Its hub is there, though it has nothing to record. */
  touch(at: number): Promise<void>;
  /** Deletes whole blocks from the oldest on, as long as all in them is older; how many, at most so many at once. */
  prune(before: Date): Promise<number>;
  /** Where blocks are that end before, oldest first. */
  readSpans(options: { readonly afterSeq: number; readonly before: Date; readonly limit: number }): Promise<Span[]>;
  /** Puts one block in the place of those that have its records; of so many, or of none. */
  replace(block: PackedBlock, count: number): Promise<void>;
}

/** `head` is the newest record, `anchor` the newest of those that were deleted. */
export interface ChainEnds {
  readonly head: Head;
  readonly anchor: Head;
}

export interface ReadOptions extends Wanted {
  readonly seq: number;
  readonly direction: "older" | "newer";
  readonly limit: number;
}

/** Conditions that a block's index answers: all in others is unwanted. */
export interface Wanted {
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

export function createChainStore(db: Kysely<Tables>, chain: string): ChainStore {
  const { blocks, heads, isMine, names, values, moves } = placeOf(chain);
  return {
    async begin(hub) {
      await sql`
        insert into audit_chain (chain, hub, last_seq, last_hash, last_at, act_seq, anchor_seq, anchor_hash)
        values (${chain}, ${hub}, 0, repeat('0', 64), now(), 0, 0, repeat('0', 64))
      `.execute(db);
    },

    async goOn(hub) {
      if (chain !== firstChain) await sql`update audit_chain set hub = ${hub} where ${isMine}`.execute(db);
      return await readEnds();
    },

    readEnds,

    async append(block, from) {
      // A single statement is a transaction: the head never says other than the blocks. The bytes go as base64, and
      // come so, because the driver would write them as hexadecimal digits.
      const result = await sql`
        with moved as (
          update ${heads} set last_seq = ${block.lastSeq}, last_hash = ${block.lastHash}${moves(block)}
          where ${isMine} and last_seq = ${from.seq} and last_hash = ${from.hash} returning last_seq
        )
        insert into ${blocks} (${names}first_seq, last_seq, first_at, last_at, users, clusters, last_hash, lines)
        select ${values}${valuesOf(block)} from moved
      `.execute(db);
      return result.numAffectedRows === 1n;
    },

    async read({ seq, direction, limit, ...wanted }) {
      const conditions = [isMine, direction === "older" ? sql`first_seq <= ${seq}` : sql`last_seq >= ${seq}`];
      conditions.push(...toSql(wanted));
      const { rows } = await sql<PackedRow>`
        select ${columns} from ${blocks} where ${sql.join(conditions, sql` and `)}
        order by first_seq ${direction === "older" ? sql`desc` : sql`asc`} limit ${limit}
      `.execute(db);
      return await Promise.all(rows.map(unpackBlock));
    },

    async touch(at) {
      await sql`update audit_chain set last_at = ${new Date(at)}::timestamptz where chain = ${chain}`.execute(db);
    },

    async prune(before) {
      const result = await sql<{ count: number | string }>`
        with gone as (
          delete from ${blocks} where ${isMine} and first_seq in (
            select first_seq from ${blocks} where ${isMine} and first_seq < coalesce(
              (select min(first_seq) from ${blocks} where ${isMine} and last_at >= ${before}::timestamptz),
              9223372036854775807
            )
            order by first_seq limit ${prunedAtOnce}
          ) returning last_seq, last_hash
        ), newest as (select last_seq, last_hash, count(*) over () as count from gone order by last_seq desc limit 1)
        update ${heads} set anchor_seq = newest.last_seq, anchor_hash = newest.last_hash from newest
        where ${isMine} and anchor_seq < newest.last_seq
        returning newest.count
      `.execute(db);
      return Number(result.rows[0]?.count ?? 0);
    },

    async readSpans({ afterSeq, before, limit }) {
      const { rows } = await sql<{ first_seq: number | string; last_seq: number | string }>`
        select first_seq, last_seq from ${blocks}
        where ${isMine} and first_seq > ${afterSeq} and last_at < ${before} order by first_seq limit ${limit}
      `.execute(db);
      return rows.map((row) => ({ firstSeq: Number(row.first_seq), lastSeq: Number(row.last_seq) }));
    },

    async replace(block, count) {
      await db.transaction().execute(async (trx) => {
        const gone = await sql`
          delete from ${blocks} where ${isMine} and first_seq >= ${block.firstSeq} and last_seq <= ${block.lastSeq}
        `.execute(trx);
        if (Number(gone.numAffectedRows) !== count) throw auditErrors.AUDIT_DAMAGED({ seq: block.firstSeq });
        await sql`
          insert into ${blocks} (${names}first_seq, last_seq, first_at, last_at, users, clusters, last_hash, lines)
          values (${values}${valuesOf(block)})
        `.execute(trx);
      });
    },
  };

  async function readEnds(): Promise<ChainEnds | undefined> {
    const { rows } = await sql<EndsRow>`
      select last_seq, last_hash, anchor_seq, anchor_hash from ${heads} where ${isMine}
    `.execute(db);
    const [row] = rows;
    if (!row) return undefined;
    return {
      head: { seq: Number(row.last_seq), hash: row.last_hash },
      anchor: { seq: Number(row.anchor_seq), hash: row.anchor_hash },
    };
  }
}

/** The first chain, of a hub that has the database for itself, has tables of its own. */
function placeOf(chain: string): {
  readonly blocks: RawBuilder<unknown>;
  readonly heads: RawBuilder<unknown>;
  readonly isMine: RawBuilder<unknown>;
  readonly names: RawBuilder<unknown>;
  readonly values: RawBuilder<unknown>;
  /** Goes with the head when it moves. */
  readonly moves: (block: PackedBlock) => RawBuilder<unknown>;
} {
  if (chain === firstChain) {
    const tables = { blocks: sql.table("audit_block"), heads: sql.table("audit_head") };
    return { ...tables, isMine: sql`true`, names: sql``, values: sql``, moves: () => sql`` };
  }
  return {
    blocks: sql.table("audit_chain_block"),
    heads: sql.table("audit_chain"),
    isMine: sql`chain = ${chain}`,
    names: sql`chain, `,
    values: sql`${chain}, `,
    moves: ({ actSeq, lastAt }) =>
      sql`, act_seq = greatest(act_seq, ${actSeq ?? 0}), last_at = ${new Date(lastAt)}::timestamptz`,
  };
}

function valuesOf(block: PackedBlock): RawBuilder<unknown> {
  return sql`${block.firstSeq}, ${block.lastSeq}, ${new Date(block.firstAt)}::timestamptz,
    ${new Date(block.lastAt)}::timestamptz, ${[...block.users]}::text[], ${[...block.clusters]}::text[],
    ${block.lastHash}, decode(${block.packed}, 'base64')`;
}

export function toSql({ user, cluster, sinceMs, untilMs }: Wanted): RawBuilder<unknown>[] {
  return [
    ...(user === undefined ? [] : [sql`${user} = any (users)`]),
    ...(cluster === undefined ? [] : [sql`${cluster} = any (clusters)`]),
    ...(sinceMs === undefined ? [] : [sql`last_at >= ${new Date(sinceMs)}::timestamptz`]),
    ...(untilMs === undefined ? [] : [sql`first_at < ${new Date(untilMs)}::timestamptz`]),
  ];
}

/** As `unpackBlock` takes them. The bytes come as base64, because the driver would have them as hexadecimal digits. */
export const columns: RawBuilder<unknown> = sql`
  first_seq, last_seq, first_at, last_at, users, clusters, last_hash, encode(lines, 'base64') as packed`;

export async function unpackBlock(row: PackedRow): Promise<Block> {
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

type BigInteger = number | string;

/** With its lines as text. */
export type PackedRow = Omit<Tables["audit_block"], "lines"> & { readonly packed: string };

interface EndsRow {
  readonly last_seq: BigInteger;
  readonly last_hash: string;
  readonly anchor_seq: BigInteger;
  readonly anchor_hash: string;
}

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);
const fast = { [constants.ZSTD_c_compressionLevel]: 1 };
const maxBlockBytes = 64 * 1024 * 1024;
const prunedAtOnce = 5_000;
