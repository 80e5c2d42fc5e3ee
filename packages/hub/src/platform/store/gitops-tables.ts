import type { GitopsFlowStatus, GitopsMapping, GitopsMode, GitopsRules, HeldDeletion } from "@fairlead/contract";
import type { GitopsKind } from "@fairlead/protocol";

/** Argo CD applications across clusters. */
export interface GitopsTables {
  readonly gitops_settings: GitopsSettingsTable;
  readonly gitops_hub: GitopsHubTable;
  readonly gitops_object: GitopsObjectTable;
  readonly gitops_object_gone: GitopsGoneTable;
  readonly gitops_operation: GitopsOperationTable;
  readonly gitops_guard: GitopsGuardTable;
  readonly gitops_status: GitopsStatusTable;
  readonly gitops_left: GitopsLeftTable;
}

export interface GitopsSettingsTable {
  readonly cluster: string;
  readonly mode: GitopsMode;
  readonly mapping: GitopsMapping;
  readonly on_uid_mismatch: GitopsRules["onUidMismatch"];
  readonly adoption: GitopsRules["adoption"];
  readonly on_recreate: GitopsRules["onRecreate"];
  readonly create_namespaces: boolean;
  readonly guard_percent: number;
  readonly guard_min: number;
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

/** Has a single row. */
interface GitopsHubTable {
  readonly uid: string;
}

/** What the hub knows of an application's operations. */
export interface GitopsOperationTable {
  readonly cluster: string;
  readonly uid: string;
  readonly record: object;
}

/** Deletions that wait for a confirmation. */
export interface GitopsGuardTable {
  readonly cluster: string;
  readonly owner_term: string;
  readonly held: readonly HeldDeletion[];
  /** Empty: none are held. */
  readonly digest: string;
  readonly held_since: Date | null;
  readonly let_go: readonly string[];
  readonly confirmed: readonly string[];
  readonly confirmed_at: Date | null;
  readonly confirmed_by: string | null;
}

export interface GitopsStatusTable {
  readonly cluster: string;
  readonly owner_term: string;
  readonly hub: string;
  readonly since: Date;
  readonly told_at: Date;
  readonly flows: readonly GitopsFlowStatus[];
}

/** An application whose deletion isn't to wait for its cluster any more. */
export interface GitopsLeftTable {
  readonly uid: string;
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
  readonly left_at: Date;
}
