// A cursor of a subscription: the revision up to which everything was sent, when that was, and a mark of what was asked
// for and might be seen: with other rights or another filter, what changed since isn't all that is new. Deleted objects
// are remembered for a day; who comes back later has to begin again.
import { createHash } from "node:crypto";

export function formatLiveCursor(revision: number, nowMs: number, mark: string): string {
  return `${revision}.${nowMs}.${mark}`;
}

/** 0 for what isn't a cursor. */
export function revisionOf(cursor: string | undefined): number {
  return Number(/^\d{1,15}(?=\.)/.exec(cursor ?? "")?.[0] ?? 0);
}

/** Undefined: it can't be resumed from. */
export function parseLiveCursor(
  cursor: string | undefined,
  options: { readonly newest: number; readonly nowMs: number; readonly mark: string },
): number | undefined {
  const found = /^(\d{1,15})\.(\d{1,15})\.([\w-]{1,32})$/.exec(cursor ?? "");
  if (!found || found[3] !== options.mark) return undefined;
  const [revision, atMs] = [Number(found[1]), Number(found[2])];
  // The cursor is of another store, or of this one before it was put back to an older copy.
  if (revision > options.newest) return undefined;
  return options.nowMs - atMs < validMs ? revision : undefined;
}

/** The same for the same parts. */
export function markOf(...parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url").slice(0, 16);
}

const validMs = 23 * 3_600_000;
