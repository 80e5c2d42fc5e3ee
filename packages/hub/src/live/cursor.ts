// A cursor of a subscription: the revision up to which everything was sent, and when that was. Deleted objects are
// remembered for a day; who comes back later has to begin again.

export function formatLiveCursor(revision: number, nowMs: number): string {
  return `${revision}.${nowMs}`;
}

/** Undefined: it can't be gone on from. */
export function parseLiveCursor(
  cursor: string | undefined,
  options: { readonly newest: number; readonly nowMs: number },
): number | undefined {
  const found = /^(\d{1,15})\.(\d{1,15})$/.exec(cursor ?? "");
  if (!found) return undefined;
  const [revision, atMs] = [Number(found[1]), Number(found[2])];
  // Of another store, or of this one before it was put back to an older copy.
  if (revision > options.newest) return undefined;
  return options.nowMs - atMs < validMs ? revision : undefined;
}

const validMs = 23 * 3_600_000;
