import type { RetentionBudget } from "../lane/index.ts";
import { type CreditBudget, spareOf } from "../stream/index.ts";

/**
 * Bounds what links cost in memory: the credit that they give out together, and what they keep for peers that haven't
 * acknowledged it. There is one for a whole process, with shares within it for those who must not take from each other.
 */
export interface LinkBudget extends CreditBudget, RetentionBudget {
  readonly totalBytes: number;
  readonly grantedBytes: number;
  /** Sent and unacknowledged, over all links. */
  readonly retainedBytes: number;
}

export function createLinkBudget(options: { readonly totalBytes: number }): LinkBudget {
  return createBudget({ ...options, floorBytes: 0, parent: undefined });
}

/**
 * A part of a budget for one owner, who never takes more. The floor is its own: it is there whatever others have taken,
 * and comes on top of the whole.
 */
export function createBudgetShare(options: {
  readonly of: LinkBudget;
  readonly mostBytes: number;
  readonly floorBytes?: number;
}): LinkBudget {
  const { of: parent, mostBytes: totalBytes, floorBytes = 0 } = options;
  return createBudget({ parent, totalBytes, floorBytes });
}

function createBudget(options: {
  readonly totalBytes: number;
  readonly floorBytes: number;
  readonly parent: LinkBudget | undefined;
}): LinkBudget {
  const { totalBytes, floorBytes, parent } = options;
  let grantedBytes = 0;
  let retainedBytes = 0;
  return {
    totalBytes,
    get grantedBytes() {
      return grantedBytes;
    },
    get spareBytes() {
      const own = spareOf(totalBytes, grantedBytes);
      return parent === undefined ? own : Math.min(own, parent.spareBytes);
    },
    take(wantedBytes) {
      const before = beyondFloor();
      const taken = Math.max(0, Math.min(wantedBytes, totalBytes - grantedBytes));
      grantedBytes += taken;
      const drawn = beyondFloor() - before;
      const missing = parent === undefined ? 0 : drawn - parent.take(drawn);
      grantedBytes -= missing;
      return taken - missing;
    },
    give(sizeBytes) {
      const before = beyondFloor();
      grantedBytes -= sizeBytes;
      parent?.give(before - beyondFloor());
    },
    get retainedBytes() {
      return retainedBytes;
    },
    get isRetainingMuch() {
      return retainedBytes > totalBytes / 2 || parent?.isRetainingMuch === true;
    },
    retain(changeBytes) {
      retainedBytes += changeBytes;
      parent?.retain(changeBytes);
    },
  };

  /** The part of what is granted that the parent has given. */
  function beyondFloor(): number {
    return Math.max(0, grantedBytes - floorBytes);
  }
}
