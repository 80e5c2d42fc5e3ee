// The time for which a binding counts. Pure.
import type { AccessBinding } from "@fairlead/contract";

/** In milliseconds since the epoch; infinity for a binding that doesn't end by itself. */
export function endOf({ endsAt }: Pick<AccessBinding, "endsAt">): number {
  return endsAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(endsAt);
}

export function isOver(binding: Pick<AccessBinding, "endsAt">, nowMs: number): boolean {
  // A time that can't be read ends the binding rather than keeping it.
  return !(endOf(binding) > nowMs);
}
