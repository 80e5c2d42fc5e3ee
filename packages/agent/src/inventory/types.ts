import type { Link } from "@fairlead/protocol";
import type { ObservedKind } from "../observe/index.ts";
import type { KindSet } from "./kind-set.ts";

/** A kind as the agent knows it, over sessions. */
export interface LocalKind {
  /** Never used for another kind. */
  readonly id: number;
  description: ObservedKind;
  readonly set: KindSet;
  /** It was listed, and no list is under way: what the set doesn't have isn't there. */
  isWhole: boolean;
  firstListAtMs: number | undefined;
  /** When the latest list began. */
  listAtMs: number | undefined;
  unavailable: { readonly code: string; readonly message: string } | undefined;
  /** When the API server last showed that nothing is missing. */
  aliveAtMs: number | undefined;
}

export type KindState = "listing" | "comparing" | "synced" | "unavailable";

/** The link that new calls go over, and what its hub can do. */
export interface InventoryLinks {
  readonly current: { readonly link: Link; readonly capabilities: readonly string[] } | undefined;
  /** Calls back whenever `current` changed; returns the way to stop that. */
  onChange(listener: () => void): () => void;
}

export interface InventoryLog {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** For metrics. */
export interface InventoryStats {
  readonly objects: number;
  readonly kinds: Readonly<Record<KindState, number>>;
  /** A call is open and the hub has welcomed it. */
  readonly isConnected: boolean;
  readonly pendingChanges: number;
  readonly oldestPendingMs: number;
  readonly heldBytes: number;
  /** Since the start. */
  readonly sessions: number;
  readonly sentChanges: number;
  readonly sentBytes: number;
  readonly fetchedObjects: number;
}

/** A message of the protocol as plain data. */
export type Plain<Message> = Omit<Message, "$typeName" | "$unknown">;
