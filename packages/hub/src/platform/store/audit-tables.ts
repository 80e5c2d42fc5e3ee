// The record of each act and of the one who did it.
import type { Generated } from "kysely";

export interface AuditTables {
  readonly audit_block: AuditBlockTable;
  readonly audit_head: AuditHeadTable;
  readonly recording: RecordingTable;
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
}
