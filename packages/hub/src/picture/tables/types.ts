import type { Cell, TableColumn } from "@fairlead/contract";
import type { Fields } from "@fairlead/kube";

/** How objects of one kind are shown in a row. */
export interface Printer {
  readonly columns: readonly TableColumn[];
  /** Has a cell for each column. */
  cells(object: Fields, nowMs: number): Cell[];
}

export type Read = (object: Fields, nowMs: number) => Cell;

export interface Column extends TableColumn {
  readonly read: Read;
}
