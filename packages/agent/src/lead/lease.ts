// A Lease (coordination.k8s.io/v1) as it is stored, and what follows from it. Pure.

export interface Lease {
  readonly apiVersion: "coordination.k8s.io/v1";
  readonly kind: "Lease";
  readonly metadata: { readonly name: string; readonly resourceVersion?: string };
  readonly spec?: LeaseSpec;
}

export interface LeaseSpec {
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  readonly acquireTime?: string;
  readonly renewTime?: string;
  readonly leaseTransitions?: number;
}

/** The Lease's spec after a take-over. Epochs grow whatever clocks say: the last one is in the Lease. */
export function takeOver(spec: LeaseSpec, options: { identity: string; nowMs: number; durationMs: number }): LeaseSpec {
  const { identity, nowMs, durationMs } = options;
  const acquiredMs = Math.max(nowMs, epochMsOf(spec) + 1);
  return {
    holderIdentity: identity,
    leaseDurationSeconds: Math.ceil(durationMs / 1000),
    acquireTime: toMicroTime(acquiredMs),
    renewTime: toMicroTime(nowMs),
    leaseTransitions: (spec.leaseTransitions ?? 0) + (spec.acquireTime === undefined ? 0 : 1),
  };
}

export function renew(spec: LeaseSpec, nowMs: number): LeaseSpec {
  return { ...spec, renewTime: toMicroTime(nowMs) };
}

/** Gives the lead back: whoever looks next may take it. The epoch stays written, for the next one to be higher. */
export function letGo(spec: LeaseSpec, nowMs: number): LeaseSpec {
  const { holderIdentity: _holder, ...rest } = spec;
  return { ...rest, leaseDurationSeconds: 1, renewTime: toMicroTime(nowMs) };
}

/**
 * When the lead was taken, in milliseconds: it grows with each takeover, and also when someone deleted the Lease in
 * between, which sets the transitions back to nothing.
 */
export function epochMsOf(spec: LeaseSpec): number {
  const ms = spec.acquireTime === undefined ? Number.NaN : Date.parse(spec.acquireTime);
  return Number.isNaN(ms) ? 0 : ms;
}

/** `metav1.MicroTime` takes exactly six digits behind the point. */
function toMicroTime(ms: number): string {
  return new Date(ms).toISOString().replace("Z", "000Z");
}
