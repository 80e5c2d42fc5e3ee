// Bounds a message of items: so many rows at most, and so many bytes of objects. A client can make the hub hold a page
// and what its socket has room for.
import type { FoundRow } from "../objects/index.ts";

/** Each is a message at most. A larger object is alone on its page. */
export const pageLimits: { readonly limit: number; readonly maxBytes: number } = {
  limit: 200,
  maxBytes: 2 * 1024 * 1024,
};

export function* splitPages(rows: readonly FoundRow[]): Generator<readonly FoundRow[]> {
  let page: FoundRow[] = [];
  let pageBytes = 0;
  for (const row of rows) {
    const isFull = page.length === pageLimits.limit || pageBytes + row.body_bytes > pageLimits.maxBytes;
    if (isFull && page.length > 0) {
      yield page;
      page = [];
      pageBytes = 0;
    }
    page.push(row);
    pageBytes += row.body_bytes;
  }
  if (page.length > 0) yield page;
}
