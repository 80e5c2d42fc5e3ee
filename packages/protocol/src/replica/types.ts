// The messages between the two ends of a flow, apart from how they are carried. `gitops.proto` has the same messages.

/** From a flow's source to its target. */
export type SourceMessage =
  | { readonly type: "compare"; readonly comparison: number; readonly bucketCount: number }
  | { readonly type: "listBuckets"; readonly comparison: number; readonly buckets: readonly number[] }
  | ({ readonly type: "entry"; readonly uid: string; readonly generation: number } & ReplicaContent)
  | {
      readonly type: "absent";
      readonly uid: string;
      readonly generation: number;
      /** Undefined: an older source. */
      readonly departure?: Departure;
    };

/** How an object left. */
export interface Departure {
  /** Those that it had at last: they say whether what it deployed goes, too. */
  readonly finalizers: readonly string[];
  /** It is still at the source, and isn't for this target any more. */
  readonly isWithdrawn: boolean;
}

/** From a flow's target to its source. */
export type TargetMessage =
  | { readonly type: "digests"; readonly comparison: number; readonly digests: readonly bigint[] }
  | {
      readonly type: "bucketEntries";
      readonly comparison: number;
      readonly bucket: number;
      readonly entries: readonly HeldEntry[];
    }
  | { readonly type: "acknowledgement"; readonly uid: string; readonly generation: number }
  | ({ readonly type: "refusal"; readonly uid: string; readonly generation: number } & ReplicaRefusal)
  | { readonly type: "question"; readonly uid: string; readonly name: string };

/** An object in a flow. */
export interface ReplicaContent {
  /** The version of `contentJson`, by `toVersion`; never 0. */
  readonly version: bigint;
  /** Namespace and name at the source: `argocd/guestbook`. */
  readonly name: string;
  readonly contentJson: Uint8Array;
}

/** An object as a target has it. */
export interface HeldEntry {
  readonly uid: string;
  /** The version committed last; `driftedVersion` when the object isn't that any more. */
  readonly version: bigint;
  readonly name: string;
}

/** Why a target can't commit an object now. The others go on. */
export interface ReplicaRefusal {
  readonly reason: RefusalReason;
  /** For people: what the API server, or whoever refused it, said. */
  readonly message: string;
  /** Not before this time; 0 leaves it to the source, which waits longer each time. */
  readonly retryAfterMs: number;
}

export type RefusalReason = (typeof refusalReasons)[number];

/** A peer's reason that isn't here is read as `failed`. */
export const refusalReasons = [
  /** An admission webhook or policy rejected it. */
  "webhook",
  /** A quota is used up. */
  "quota",
  /** The writer has no right to. */
  "forbidden",
  "too-large",
  /** The API server doesn't take it as an object of its kind. */
  "invalid",
  /** The kind isn't there: no CRD. */
  "no-kind",
  /** Another object has its name, and may not be taken over or replaced. */
  "taken",
  /** A mass deletion waits for a confirmation. */
  "unconfirmed",
  /** The API server can't be reached or is overloaded. */
  "unavailable",
  /** Nothing of the above. */
  "failed",
] as const;

export type OperationAction = (typeof operationActions)[number];
export const operationActions = ["sync", "terminate", "refresh"] as const;

/** An operation must be done just once, as opposed to state, which may be written again and again. */
export interface Operation {
  /** By `nextOperationId`: later ones on the same object have higher ids. */
  readonly id: string;
  readonly uid: string;
  readonly name: string;
  readonly action: OperationAction;
  readonly contentJson: Uint8Array;
}

export type OperationOutcome =
  | { readonly outcome: "started" | "repeated" | "superseded" }
  | ({ readonly outcome: "refused" } & ReplicaRefusal);

export type OperationResult = Pick<Operation, "id" | "uid" | "action"> & OperationOutcome;

/** Held, but not as it was committed: differs from every version. */
export const driftedVersion = 0n;
