// Where several hubs write, each tells what all of them wrote by reading it, in the order of revisions, each once: after a
// write of its own, at another hub's hint, and within a second without either.
import type { Changes } from "../../platform/changes/index.ts";
import { type Telling, type TellingOptions, toTold } from "./telling.ts";
import type { CommittedChange } from "./types.ts";

export interface RevisionFollower extends Telling, AsyncDisposable {
  start(): void;
}

export function followRevisions(
  options: TellingOptions & {
    readonly changes: Pick<Changes, "follow" | "hint">;
    /** Reads what listeners look up, before they are told. */
    readonly prepare: (changes: readonly CommittedChange[], signal: AbortSignal) => Promise<void>;
  },
): RevisionFollower {
  const { store, changes, prepare, onCommitted, onHistoryLost } = options;
  let { revision: told, history: known } = options;
  let seenCounter = 0;
  let following: AsyncDisposable | undefined;
  return {
    start() {
      following ??= changes.follow("inventory", async (signal) => {
        while (await tellSome(signal));
      });
    },
    wrote(written) {
      if (written.length > 0) changes.hint("inventory");
    },
    // Nothing is missed: all is read.
    recover: () => Promise.resolve(),
    async [Symbol.asyncDispose]() {
      await following?.[Symbol.asyncDispose]();
    },
  };

  /** False: there is no more. */
  async function tellSome(signal: AbortSignal): Promise<boolean> {
    const { changes: found, history, counter } = await store.listSince(told, chunk);
    if (history !== known || counter < seenCounter) {
      told = await onHistoryLost(history);
      known = history;
      seenCounter = counter;
      return true;
    }
    const newest = found.at(-1);
    if (newest) {
      const news = toTold(found);
      await prepare(news, signal);
      signal.throwIfAborted();
      told = newest.revision;
      onCommitted(news);
    }
    seenCounter = counter;
    return found.length === chunk;
  }
}

const chunk = 500;
