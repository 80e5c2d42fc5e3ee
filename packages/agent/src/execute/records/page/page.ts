// The changes of a page and their results, without I/O.
import { versionOf } from "./entry.ts";

/** By ids of commands. */
export type Entries = Readonly<Record<string, Buffer>>;

export interface Page {
  readonly entries: Entries;
  /** It was full once: nothing is added to it any more, so that each record has one place for ever. */
  readonly isClosed: boolean;
}

export type Change =
  | { readonly is: "add"; readonly id: string; readonly entry: Buffer }
  /** Over this version. */
  | { readonly is: "replace"; readonly id: string; readonly over: string; readonly entry: Buffer }
  | { readonly is: "remove"; readonly id: string };

/** `other`: there is another version, or none. `closed`: it isn't here, and can't be added any more. */
export type Verdict = "done" | "other" | "closed";

export interface Changed {
  readonly page: Page;
  readonly verdicts: readonly Verdict[];
  readonly isDifferent: boolean;
}

/** In their order; one that can't be done changes nothing for the others. */
export function changePage(before: Page, changes: readonly Change[]): Changed {
  const entries: Record<string, Buffer> = { ...before.entries };
  let { isClosed } = before;
  let isDifferent = false;
  const verdicts = changes.map((change): Verdict => {
    const known = entries[change.id];
    switch (change.is) {
      case "add":
        if (known !== undefined) return "other";
        if (!isClosed && !hasRoom(entries)) isClosed = isDifferent = true;
        if (isClosed) return "closed";
        entries[change.id] = change.entry;
        break;
      case "replace":
        if (known === undefined || versionOf(known) !== change.over) return "other";
        entries[change.id] = change.entry;
        break;
      case "remove":
        if (known === undefined) return "done";
        delete entries[change.id];
        break;
    }
    isDifferent = true;
    return "done";
  });
  return { page: { entries, isClosed }, verdicts, isDifferent };
}

function hasRoom(entries: Entries): boolean {
  const sizes = Object.values(entries).map(({ length }) => length);
  return sizes.length < mostEntries && sizes.reduce((sum, size) => sum + size, 0) < mostBytes;
}

/** With these a page stays below what a Secret may hold, also when all of its entries grow to what one may have. */
export const mostEntries = 128;
const mostBytes = 256 * 1024;
