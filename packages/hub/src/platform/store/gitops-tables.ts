import type { GitopsMapping, GitopsMode } from "@fairlead/contract";
import type { GitopsKind } from "@fairlead/protocol";

/** Argo CD applications across clusters. */
export interface GitopsTables {
  readonly gitops_settings: GitopsSettingsTable;
  readonly gitops_hub: GitopsHubTable;
  readonly gitops_object: GitopsObjectTable;
  readonly gitops_object_gone: GitopsGoneTable;
}

export interface GitopsSettingsTable {
  readonly cluster: string;
  readonly mode: GitopsMode;
  readonly mapping: GitopsMapping;
  readonly generation: number;
  readonly updated_at: Date;
  readonly updated_by: string;
}

export interface GitopsObjectTable {
  readonly kind: GitopsKind;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** PostgreSQL's driver gives a bigint as text. */
  readonly revision: string;
  readonly body: string;
  readonly size_bytes: number;
}

interface GitopsGoneTable extends Omit<GitopsObjectTable, "body" | "size_bytes"> {
  readonly gone_at: Date;
}

/** One row. */
interface GitopsHubTable {
  readonly uid: string;
}
