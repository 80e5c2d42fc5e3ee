import type { ColumnType } from "kysely";

export interface InventoryTables {
  readonly inventory_cluster: InventoryClusterTable;
  readonly inventory_kind: InventoryKindTable;
  readonly inventory_object: InventoryObjectTable;
  readonly inventory_count: InventoryCountTable;
  readonly inventory_report: InventoryReportTable;
}

export interface InventoryClusterTable {
  readonly cluster: string;
  readonly kube_system_uid: string;
  readonly lease_epoch: ColumnType<number | string, bigint | number | string | undefined, bigint | number | string>;
}

export interface InventoryKindTable {
  readonly cluster: string;
  readonly kind: string;
  readonly api_group: string;
  readonly api_version: string;
  readonly resource: string;
  readonly kind_name: string;
  readonly namespaced: boolean;
  readonly short_names: string[];
  readonly state: string;
  readonly state_since: Date;
  readonly code: string | null;
  readonly message: string | null;
  readonly printer_columns: ColumnType<unknown, string | null, string | null>;
  readonly verified_at: Date | null;
}

export interface InventoryObjectTable {
  readonly cluster: string;
  readonly kind: string;
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly bucket: number;
  /** PostgreSQL's driver gives a bigint as text. */
  readonly version: ColumnType<bigint | number | string, bigint | string, bigint | string>;
  readonly revision: ColumnType<number | string, bigint | number | string, bigint | number | string>;
  readonly labels: ColumnType<Readonly<Record<string, string>>, string, string>;
  readonly owners: string[];
  readonly health: string | null;
  readonly health_message: string | null;
  readonly created_at: Date;
  readonly changed_at: Date;
  readonly change: string;
  readonly spec_changed_at: Date;
  readonly health_changed_at: Date | null;
  readonly deleted_at: Date | null;
  readonly is_cut: boolean;
  readonly wanted: ColumnType<bigint | number | string, bigint | string | undefined, bigint | string>;
  readonly usage: ColumnType<unknown, string | null | undefined, string | null>;
  readonly body: ColumnType<unknown, string, string>;
}

/** Kept by triggers of inventory_object. */
export interface InventoryCountTable {
  readonly cluster: string;
  readonly kind: string;
  /** Null: over all namespaces. */
  readonly namespace: string | null;
  readonly health: string | null;
  readonly objects: number | string;
}

/** Where several hubs share the database. PostgreSQL's driver gives a bigint as text. */
export interface InventoryReportTable {
  readonly cluster: string;
  readonly fence: number | string;
  readonly hub: string;
  readonly agent: string;
  readonly lease_epoch: number | string;
  readonly started_at: Date;
  readonly heard_at: Date;
  readonly ended_at: Date | null;
  readonly end_reason: string | null;
  readonly pending_changes: number;
  readonly oldest_pending_at: Date | null;
  readonly kinds_mark: string;
  readonly ages: number[];
  readonly refusals: unknown;
  readonly used_objects: number | string | null;
  readonly used_bytes: number | string | null;
  readonly revision: number | string;
}
