// The shapes of replicated objects, as far as replication looks into them.

export interface GitopsObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: GitopsMetadata;
  readonly [field: string]: unknown;
}

export interface GitopsMetadata {
  readonly name: string;
  readonly namespace: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly deletionTimestamp?: string;
  readonly [field: string]: unknown;
}

export interface Application extends GitopsObject {
  readonly spec: Readonly<Record<string, unknown>>;
  readonly operation?: Readonly<Record<string, unknown>>;
  readonly status?: ApplicationStatus;
}

export interface ApplicationStatus {
  readonly operationState?: { readonly phase?: string; readonly startedAt?: string; readonly [field: string]: unknown };
  readonly [field: string]: unknown;
}

/** The part of an object's metadata that is carried. */
export interface CarriedMetadata {
  readonly name: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly finalizers: readonly string[];
  /** It is being deleted at the source, and waits for its finalizers. */
  readonly isDeleting: boolean;
}

/**
 * An object of a Kubernetes API as one that is replicated. All kinds that are replicated are in namespaces, and clients put
 * back the `apiVersion` and `kind` that lists leave out.
 */
export function toGitopsObject(object: { readonly metadata: { readonly name: string } }): GitopsObject {
  return object as GitopsObject;
}
