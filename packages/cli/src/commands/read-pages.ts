/** Reads page after page until there are as many items as wanted, or no more. */
export async function readPages<T>(
  read: (page: { readonly cursor: string | undefined; readonly limit: number }) => Promise<{
    readonly items: readonly T[];
    readonly next?: string | undefined;
  }>,
  { limit, mostOnPage }: { readonly limit: number; readonly mostOnPage: number },
): Promise<T[]> {
  const items: T[] = [];
  let cursor: string | undefined;
  do {
    const page = await read({ cursor, limit: Math.min(limit - items.length, mostOnPage) });
    items.push(...page.items);
    cursor = page.next;
  } while (cursor !== undefined && items.length < limit);
  return items.slice(0, limit);
}
