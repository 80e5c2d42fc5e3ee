// A list for as long as someone watches it: all of it at first, then a line for each item that changes.
import { Backoff } from "@fairlead/kernel";
import type { CommandContext } from "../context.ts";
import { pause } from "../files/index.ts";
import { throwUnlessRetryable } from "./throw-unless-retryable.ts";

export interface WatchedList<Item> {
  readonly heading: readonly string[];
  readonly read: () => Promise<readonly Item[]>;
  readonly keyOf: (item: Item) => string;
  /** Two states of an item with the same mark are printed once. */
  readonly markOf: (item: Item) => unknown;
  readonly toRow: (item: Item) => readonly string[];
  /** Asked after each look. Default: it never is. */
  readonly isOver?: () => boolean;
}

/** Ends by Ctrl-C, when the list is over, or by an error that won't pass. */
export async function watchList<Item>(context: CommandContext, watched: WatchedList<Item>): Promise<void> {
  const { output, signal } = context;
  const backoff = new Backoff({ baseMs: lookMs, maxMs: 30_000 });
  const write = output.tableWriter(watched.heading);
  let marks: ReadonlyMap<string, string> = new Map();
  for (;;) {
    try {
      const items = await watched.read();
      backoff.reset();
      marks = tell(items);
      if (watched.isOver?.()) return;
      await pause(lookMs, signal);
    } catch (thrown) {
      throwUnlessRetryable(thrown, { signal, remark: output.remark });
      await pause(backoff.nextMs(), signal);
    }
  }

  function tell(items: readonly Item[]): ReadonlyMap<string, string> {
    const now = new Map(items.map((item) => [watched.keyOf(item), JSON.stringify(watched.markOf(item))]));
    const changed = items.filter((item) => marks.get(watched.keyOf(item)) !== now.get(watched.keyOf(item)));
    if (output.isDocument) for (const item of changed) output.printDocument(item);
    else if (changed.length > 0) output.print(write(changed.map(watched.toRow)));
    for (const key of marks.keys()) if (!now.has(key)) output.remark(`${output.safe(key)} is gone.`);
    return now;
  }
}

const lookMs = 2_000;
