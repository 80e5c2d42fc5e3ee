// The content of a store as a sequence of records: head, files, tables each with its rows, sequences, end. A backup file
// holds them, a copy passes them on.

export type StoreRecord =
  | { readonly kind: "head"; readonly head: StoreHead }
  /** The `bytes` that follow are this file's. */
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "bytes"; readonly bytes: Buffer }
  /** The `rows` that follow are this table's. */
  | { readonly kind: "table"; readonly name: string; readonly columns: readonly string[] }
  /** Each one a JSON object as PostgreSQL wrote it. Nobody parses it on the way, so numbers stay as exact as they are. */
  | { readonly kind: "rows"; readonly lines: readonly string[] }
  | { readonly kind: "sequences"; readonly sequences: readonly SequenceValue[] }
  | { readonly kind: "end"; readonly summary: StoreSummary };

export interface StoreHead {
  readonly format: typeof storeFormat;
  readonly version: number;
  readonly hubVersion: string;
  readonly createdAt: string;
  /** Names of the migrations that made the tables, in order. */
  readonly migrations: readonly string[];
}

export interface SequenceValue {
  readonly name: string;
  /** A bigint, as text. */
  readonly value: string;
}

export interface StoreSummary {
  readonly files: number;
  readonly tables: Readonly<Record<string, TableSummary>>;
}

export interface TableSummary {
  readonly rows: number;
  /** The digest of all lines doesn't depend on their order. */
  readonly digest: string;
}

export const storeFormat = "fairlead-hub-store";
export const storeFormatVersion = 1;
