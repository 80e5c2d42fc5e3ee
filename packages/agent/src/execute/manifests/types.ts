/** An object as somebody wrote it, checked for what every object has. */
export interface WantedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly [field: string]: unknown;
  };
  readonly [field: string]: unknown;
}

export interface Manifest {
  readonly object: WantedObject;
  /** For people: `document 3, item 2`. */
  readonly where: string;
  readonly wave: number;
}

export interface ManifestsSpec {
  /** A DNS label. */
  readonly set: string;
  /** The namespace of objects that name none; the set's inventory lies there. */
  readonly namespace: string;
  readonly manifests: readonly Manifest[];
  readonly prune: boolean;
  readonly force: boolean;
  readonly createNamespace: boolean;
  /** Undefined: doesn't wait until objects are ready. */
  readonly waitTimeoutSeconds: number | undefined;
}

/** Names one object of a cluster, in the version that the set used. */
export interface ObjectName {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string | undefined;
  readonly name: string;
}

export type Deed = "created" | "changed" | "unchanged" | "deleted" | "kept" | "failed" | "pending";

/** The fate of one object, done or foreseen. */
export interface Outcome extends ObjectName {
  readonly did: Deed;
  readonly code?: string | undefined;
  readonly message?: string | undefined;
  readonly changes?: readonly Change[] | undefined;
}

export interface Change {
  /** `spec.template.spec.containers[0].image` */
  readonly path: string;
  /** Absent where there was, or will be, nothing. Values of Secrets are masked. */
  readonly from?: unknown;
  readonly to?: unknown;
}
