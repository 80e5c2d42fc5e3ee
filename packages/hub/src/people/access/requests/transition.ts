// The states of an access request, and the only way from one to another. Pure.
import type { AccessRequestState } from "@fairlead/contract";
import { accessRequestErrors } from "./errors.ts";

export type AccessRequestEvent =
  | {
      readonly kind: "approve";
      readonly by: string;
      readonly binding: string;
      readonly endsAt: string;
      readonly comment?: string | undefined;
    }
  | { readonly kind: "deny"; readonly by: string; readonly comment?: string | undefined }
  | { readonly kind: "cancel" }
  | { readonly kind: "lapse" };

export interface RequestTimes {
  /** For so long a request waits for a decision. */
  readonly waitMs: number;
  /** For so long a request is kept that has ended. */
  readonly keepMs: number;
}

export const requestTimes: RequestTimes = { waitMs: 24 * 3_600_000, keepMs: 30 * 24 * 3_600_000 };

/** Throws ACCESS_REQUEST_ENDED: only a request that is pending, and hasn't expired, changes. */
export function transition(
  { state, expiresMs }: { readonly state: AccessRequestState; readonly expiresMs: number },
  event: AccessRequestEvent,
  nowMs: number,
): AccessRequestState {
  // Its time alone ends a request by itself.
  if (event.kind === "lapse") return stateAt({ state, expiresMs }, nowMs);
  requirePending({ state, expiresMs }, nowMs);
  const at = new Date(nowMs).toISOString();
  switch (event.kind) {
    case "approve": {
      const { by, binding, endsAt, comment } = event;
      return { kind: "approved", by, at, binding, endsAt, ...(comment === undefined ? {} : { comment }) };
    }
    case "deny":
      return { kind: "denied", by: event.by, at, ...(event.comment === undefined ? {} : { comment: event.comment }) };
    case "cancel":
      return { kind: "cancelled", at };
    default:
      return event satisfies never;
  }
}

/** Throws ACCESS_REQUEST_ENDED. */
export function requirePending(
  request: { readonly state: AccessRequestState; readonly expiresMs: number },
  nowMs: number,
): void {
  const { kind } = stateAt(request, nowMs);
  if (kind !== "pending") throw accessRequestErrors.ACCESS_REQUEST_ENDED({ state: words[kind] });
}

/** A pending request that nobody decided in time has expired, also before it is swept up. */
export function stateAt(
  { state, expiresMs }: { readonly state: AccessRequestState; readonly expiresMs: number },
  nowMs: number,
): AccessRequestState {
  if (state.kind !== "pending" || expiresMs > nowMs) return state;
  return { kind: "expired", at: new Date(expiresMs).toISOString() };
}

const words = {
  approved: "approved",
  denied: "denied",
  cancelled: "cancelled",
  expired: "left undecided until it expired",
} as const;
