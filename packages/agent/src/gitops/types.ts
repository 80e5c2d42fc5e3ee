import type { GitopsMapping, GitopsMode } from "@fairlead/protocol";

/** Where Argo CD is in this cluster, and what the agent was told to do for it. */
export interface ArgoSetup {
  readonly namespace: string;
  /** Beside that, those that applications may be in. */
  readonly applicationNamespaces: readonly string[];
  /** Those that the hub may declare. */
  readonly modes: readonly GitopsMode[];
}

/** What the hub says of this cluster's sync. As long as it stays the same, the ends of the flows do. */
export interface HubSettings {
  readonly mode: GitopsMode;
  readonly mapping: GitopsMapping;
  /** The cluster's own on the hub. */
  readonly hubNamespace: string;
  /** With the mapping by destination: those on the hub whose applications are in Argo CD's own here. */
  readonly remappedNamespaces: readonly string[];
  readonly hubUid: string;
  readonly flows: readonly string[];
  readonly maxUnackedEntries: number;
  readonly maxUnackedBytes: number;
  readonly rules: CopyRules;
}

export interface CopyRules {
  /** What happens to an object that has the name of a copy, and is the copy of something else. */
  readonly onUidMismatch: "recreate" | "upsert";
  /** Whether an object that is nobody's copy is taken over. */
  readonly adoption: "always" | "never";
  /** What an application gets that was deleted in the cluster and is made again. */
  readonly onRecreate: "ignore" | "clear-status" | "resync";
  readonly createsNamespaces: boolean;
}

export interface GitopsLog {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
