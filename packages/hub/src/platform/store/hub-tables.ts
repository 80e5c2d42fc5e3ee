import type { ColumnType } from "kysely";

/** The hubs that share the database. */
export interface HubTables {
  readonly hub: HubTable;
  readonly hub_link: HubLinkTable;
}

export interface HubTable {
  readonly id: string;
  /** Where other hubs reach it, HOST:PORT. */
  readonly address: string;
  readonly version: string;
  readonly started_at: Date;
  /** By the database's clock. */
  readonly heartbeat_at: Date;
  /** The newest migration that it knows. */
  readonly schema_version: number;
}

export interface HubLinkTable {
  readonly id: string;
  readonly hub: string;
  readonly cluster: string;
  /** PostgreSQL's driver gives a bigint as text. */
  readonly revision: ColumnType<number | string, bigint | number | string, bigint | number | string>;
  readonly ended_at: Date | null;
  readonly facts: ColumnType<unknown, string, string>;
}
