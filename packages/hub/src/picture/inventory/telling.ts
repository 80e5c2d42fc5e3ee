// Tells changes in the order of their revisions, each once, also when it isn't known if a statement that failed had been
// committed. A hub that has its database alone tells what it writes itself; it reads only what it may have missed.
import type { ObjectStore, StoredChange } from "./object-store.ts";
import type { CommittedChange } from "./types.ts";

export interface Telling {
  /** This hub has written them. */
  wrote(changes: readonly CommittedChange[]): void;
  /** Before the next write after one that failed. */
  recover(): Promise<void>;
}

export interface TellingOptions {
  readonly store: Pick<ObjectStore, "listSince">;
  /** Everything up to it was told, or was there before. */
  readonly revision: number;
  readonly history: string;
  readonly onCommitted: (changes: readonly CommittedChange[]) => void;
  /** The database isn't where it was: revisions begin anew. Gives the newest. */
  readonly onHistoryLost: (history: string) => Promise<number>;
}

export function tellOwn(options: TellingOptions): Telling {
  const { store, onCommitted, onHistoryLost } = options;
  let { revision: told, history: known } = options;
  return {
    wrote: tell,
    async recover() {
      while (true) {
        const { changes, history } = await store.listSince(told, chunk);
        if (history !== known) {
          told = await onHistoryLost(history);
          known = history;
          return;
        }
        tell(toTold(changes));
        if (changes.length < chunk) return;
      }
    },
  };

  function tell(changes: readonly CommittedChange[]): void {
    const inOrder = changes.toSorted((one, other) => one.revision - other.revision);
    const newest = inOrder.at(-1);
    if (!newest) return;
    told = newest.revision;
    onCommitted(inOrder);
  }
}

export function toTold(changes: readonly StoredChange[]): CommittedChange[] {
  return changes.map(({ health, ...change }) => ({ ...change, ...(health === null ? {} : { health }) }));
}

const chunk = 500;
