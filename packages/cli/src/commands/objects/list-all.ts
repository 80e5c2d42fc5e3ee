import type { HubClient, KindTable, ObjectItem, ObjectList, ObjectQuery } from "@fairlead/contract";
import { pinTables } from "./kind-tables.ts";

/** All pages as one, or as many items as are wanted. */
export async function listAll(
  client: Pick<HubClient, "listObjects">,
  query: ObjectQuery,
  { limit = Number.POSITIVE_INFINITY, signal }: { readonly limit?: number | undefined; readonly signal: AbortSignal },
): Promise<ObjectList> {
  // Whole objects may have a quarter of a mebibyte each.
  const pageItems = query.include === "object" ? 100 : 500;
  const items: ObjectItem[] = [];
  const tables: KindTable[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await client.listObjects(
      { ...query, cursor, limit: Math.min(pageItems, limit - items.length) },
      { signal },
    );
    items.push(...page.items);
    tables.push(...pinTables(page));
    cursor = page.next;
    if (cursor === undefined || items.length >= limit) return { ...page, items, tables };
  }
}
