import type { Health } from "@fairlead/contract";
import type { Fields } from "@fairlead/kube";

/** A Kubernetes object as far as its health goes; anything may be missing or of another type than it should be. */
export interface Assessed {
  readonly apiVersion?: unknown;
  readonly kind?: unknown;
  readonly metadata?: unknown;
  readonly [field: string]: unknown;
}

export interface Assessment {
  readonly health: Health;
  readonly message?: string | undefined;
}

/** Undefined where health means nothing, as for a ConfigMap. */
export type Assess = (object: Fields) => Assessment | undefined;
