import type { FairleadError } from "@fairlead/kernel";

/**
 * Tells this hub's peers where to look. A hint is never the truth and may be lost, late, doubled or out of order: whoever
 * gets one reads the database, and whoever misses one finds out by himself.
 */
export interface Bus extends AsyncDisposable {
  /** Never throws and never waits. Leaves within a twentieth of a second, bundled with others. */
  hint(topic: string, detail?: string): void;
  /** Calls back for hints of other hubs, and to look at everything when some may have been missed. */
  onHint(listener: (hint: Hint) => void): Disposable;
  readonly adapter: Adapter["name"];
  readonly state: BusState;
  readonly counters: BusCounters;
}

export type Hint =
  /** Without details all of the topic may have changed. */
  | { readonly kind: "topic"; readonly topic: string; readonly details: readonly string[] | undefined }
  | { readonly kind: "everything" };

export type BusState =
  | { readonly kind: "up" }
  /** Hubs find changes by their timers alone. */
  | { readonly kind: "away"; readonly error: FairleadError; readonly sinceMs: number };

export interface BusCounters {
  /** Calls of `hint`. */
  readonly hints: number;
  /** Messages; each may carry many hints. */
  readonly sent: number;
  readonly received: number;
  readonly failed: number;
}

/** A way to carry messages between hubs. */
export interface Adapter {
  readonly name: "memory" | "postgres" | "nats";
  /** Throws for settings that can never work; peers and servers that are away are a state. */
  open(events: TransportEvents): Promise<Transport>;
}

export interface TransportEvents {
  /** The messages of this hub, too, where they come back. */
  onMessage(text: string): void;
  onState(state: BusState): void;
}

export interface Transport extends AsyncDisposable {
  /** Rejects when the message can't leave now. Nobody tries again. */
  send(text: string): Promise<void>;
}
