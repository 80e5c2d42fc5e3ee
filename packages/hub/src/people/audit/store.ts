// The SQL of this room, as far as it is about all chains; that of one is in chain-store.ts.
import { type Kysely, sql } from "kysely";
import type { Tables } from "../../platform/store/index.ts";
import {
  type ChainStore,
  columns,
  createChainStore,
  type PackedRow,
  toSql,
  unpackBlock,
  type Wanted,
} from "./chain-store.ts";
import { type Block, firstChain, type Head } from "./types.ts";

export interface AuditStore {
  chain(chain: string): ChainStore;
  readChains(): Promise<ChainState[]>;
  /** When the chains begin with what may be wanted; those without it are left out. */
  readBeginnings(wanted: Wanted): Promise<Map<string, number>>;
  /** Runs `work` on the records as they are at one moment, whatever is moved or deleted meanwhile. */
  atOnce<T>(work: (records: RecordsByTime) => Promise<T>): Promise<T>;
  /** Forgets a chain whose records are all deleted, and whose hub wasn't there since. */
  forget(chain: string, head: Head, before: Date): Promise<void>;
}

export interface ChainState {
  readonly chain: string;
  /** The one that wrote to it last; unknown of the first chain. */
  readonly hub: string | undefined;
  readonly head: Head;
  readonly anchor: Head;
  /** When the newest record was made, or its hub was last there; unknown of the first chain. */
  readonly lastAt: number | undefined;
  /** The newest record that isn't about other chains alone. */
  readonly actSeq: number;
}

export interface RecordsByTime {
  /** Blocks of all chains, those first that end last. */
  read(options: Wanted & { readonly after?: ChainBlock | undefined; readonly limit: number }): Promise<ChainBlock[]>;
}

export type ChainBlock = Block & { readonly chain: string };

export function createAuditStore(db: Kysely<Tables>): AuditStore {
  return {
    chain: (chain) => createChainStore(db, chain),

    async readChains() {
      const { rows } = await sql<ChainRow>`
        select ${firstChain} as chain, null as hub, last_seq, last_hash, null as last_at, last_seq as act_seq,
          anchor_seq, anchor_hash from audit_head
        union all
        select chain, hub, last_seq, last_hash, last_at, act_seq, anchor_seq, anchor_hash from audit_chain
      `.execute(db);
      return rows.map((row) => ({
        chain: row.chain,
        hub: row.hub ?? undefined,
        head: { seq: Number(row.last_seq), hash: row.last_hash },
        anchor: { seq: Number(row.anchor_seq), hash: row.anchor_hash },
        lastAt: row.last_at?.getTime(),
        actSeq: Number(row.act_seq),
      }));
    },

    async readBeginnings(wanted) {
      const where = sql.join([sql`true`, ...toSql(wanted)], sql` and `);
      const { rows } = await sql<{ chain: string; at: Date }>`
        select ${firstChain} as chain, min(first_at) as at from audit_block where ${where} having count(*) > 0
        union all
        select chain, min(first_at) from audit_chain_block where ${where} group by chain
      `.execute(db);
      return new Map(rows.map(({ chain, at }) => [chain, at.getTime()]));
    },

    async atOnce(work) {
      return await db
        .transaction()
        .setIsolationLevel("repeatable read")
        .setAccessMode("read only")
        .execute((trx) => work({ read: (options) => readByTime(trx, options) }));
    },

    async forget(chain, { seq }, before) {
      await sql`
        delete from audit_chain where chain = ${chain} and last_seq = ${seq} and anchor_seq = ${seq}
          and last_at < ${before}::timestamptz
      `.execute(db);
    },
  };
}

async function readByTime(
  db: Kysely<Tables>,
  { after, limit, ...wanted }: Parameters<RecordsByTime["read"]>[0],
): Promise<ChainBlock[]> {
  const conditions = [sql`true`, ...toSql(wanted)];
  if (after) {
    conditions.push(sql`last_at <= ${new Date(after.lastAt)}::timestamptz`);
    conditions.push(
      sql`(last_at, chain, first_seq) < (${new Date(after.lastAt)}::timestamptz, ${after.chain}, ${after.firstSeq}::bigint)`,
    );
  }
  const where = sql.join(conditions, sql` and `);
  const newestFirst = sql`order by last_at desc, chain desc, first_seq desc limit ${limit}`;
  const { rows } = await sql<PackedRow & { readonly chain: string }>`
    select chain, ${columns} from (
      (select * from (select ${firstChain}::text collate "C" as chain, * from audit_block) as first where ${where} ${newestFirst})
      union all
      (select * from audit_chain_block where ${where} ${newestFirst})
    ) as block ${newestFirst}
  `.execute(db);
  return await Promise.all(rows.map(async (row) => ({ ...(await unpackBlock(row)), chain: row.chain })));
}

type BigInteger = number | string;

interface ChainRow {
  readonly chain: string;
  readonly hub: string | null;
  readonly last_seq: BigInteger;
  readonly last_hash: string;
  readonly last_at: Date | null;
  readonly act_seq: BigInteger;
  readonly anchor_seq: BigInteger;
  readonly anchor_hash: string;
}
