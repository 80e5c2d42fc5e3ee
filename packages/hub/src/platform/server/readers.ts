// Answers that go on for as long as somebody reads them: how many there may be, of one person and of all, and for how long
// one may take nothing.
import { once } from "node:events";
import type { ServerResponse } from "node:http";

export interface Readers {
  /** Gives the way out; undefined when there are too many. */
  enter(uid: string): (() => void) | undefined;
}

export function createReaders({ most, mostOfOne }: { readonly most: number; readonly mostOfOne: number }): Readers {
  const uids: string[] = [];
  return {
    enter(uid) {
      if (uids.length >= most || uids.filter((one) => one === uid).length >= mostOfOne) return undefined;
      uids.push(uid);
      return () => void uids.splice(uids.indexOf(uid), 1);
    },
  };
}

/** Resolves when there is room for more, or the reader has gone: true. False when he took nothing for too long. */
export async function writeToReader(
  res: ServerResponse,
  chunk: string | Uint8Array,
  stallMs: number,
): Promise<boolean> {
  if (res.write(chunk) || res.destroyed) return true;
  const stalled = AbortSignal.timeout(stallMs);
  try {
    await once(res, "drain", { signal: stalled });
    return true;
  } catch (error) {
    if (res.destroyed) return true;
    if (stalled.aborted) return false;
    throw error;
  }
}
