// The tables by which several hubs on one database share their work.
import type { ColumnType } from "kysely";

export interface SharingTables {
  readonly change_counter: ChangeCounterTable;
  readonly lease: LeaseTable;
}

/** PostgreSQL's driver gives a bigint as text where it is too large for a number. */
type BigNumber = ColumnType<number | string, number | string, number | string>;

export interface ChangeCounterTable {
  readonly topic: string;
  readonly value: BigNumber;
}

export interface LeaseTable {
  readonly name: string;
  readonly holder: string;
  readonly fence: BigNumber;
  readonly expires_at: Date;
}
