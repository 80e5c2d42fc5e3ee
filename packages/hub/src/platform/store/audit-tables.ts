// The record of each act and of the one who did it.
import type { Generated } from "kysely";

export interface AuditTables {
  readonly audit_block: AuditBlockTable;
  readonly audit_head: AuditHeadTable;
  readonly audit_chain: AuditChainTable;
  readonly audit_chain_block: AuditChainBlockTable;
  readonly recording: RecordingTable;
  readonly recording_piece: RecordingPieceTable;
}

/** PostgreSQL's driver gives a bigint as text. */
type BigInteger = number | string;

export interface AuditBlockTable {
  readonly first_seq: BigInteger;
  readonly last_seq: BigInteger;
  readonly first_at: Date;
  readonly last_at: Date;
  readonly users: string[];
  readonly clusters: string[];
  readonly last_hash: string;
  readonly lines: Uint8Array;
}

export interface AuditHeadTable {
  readonly id: number;
  readonly last_seq: BigInteger;
  readonly last_hash: string;
  readonly anchor_seq: BigInteger;
  readonly anchor_hash: string;
}

export interface AuditChainTable extends Omit<AuditHeadTable, "id"> {
  readonly chain: string;
  readonly hub: string;
  readonly last_at: Date;
  readonly act_seq: BigInteger;
}

export interface AuditChainBlockTable extends AuditBlockTable {
  readonly chain: string;
}

export interface RecordingTable {
  readonly request_id: string;
  readonly seq: Generated<BigInteger>;
  readonly at: Date;
  readonly principal: string;
  readonly cluster: string;
  readonly namespace: string;
  readonly pod: string;
  readonly container: string | null;
  readonly kind: string;
  readonly state: string;
  readonly reason: string | null;
  readonly size_bytes: BigInteger;
  readonly duration_ms: number | null;
  readonly file: string;
  readonly in_pieces: Generated<boolean>;
  readonly alive_at: Date | null;
}

export interface RecordingPieceTable {
  readonly recording: BigInteger;
  readonly number: number;
  readonly bytes: Uint8Array;
}
