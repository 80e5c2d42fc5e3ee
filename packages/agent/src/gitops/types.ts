import type { GitopsMapping, GitopsMode } from "@fairlead/protocol";

/** Where Argo CD is in this cluster, and what the agent was told to do for it. */
export interface ArgoSetup {
  readonly namespace: string;
  /** Beside that, those that applications may be in. */
  readonly applicationNamespaces: readonly string[];
  /** Those that the hub may declare. */
  readonly modes: readonly GitopsMode[];
}

/** The hub's settings for this cluster's sync. The ends of the flows are opened anew when they change. */
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
  /** How an object is treated that has the name of a copy, and is the copy of something else. */
  readonly onUidMismatch: "recreate" | "upsert";
  /** Whether an object that is nobody's copy is taken over. */
  readonly adoption: "always" | "never";
  /** How an application is treated that was deleted in the cluster and is made again. */
  readonly onRecreate: "ignore" | "clear-status" | "resync";
  readonly createsNamespaces: boolean;
}

export interface GitopsLog {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
