const most = 20;

/** A report stays small, however many objects of a cluster are at fault. */
export function few<Item>(items: readonly Item[]): readonly Item[] {
  return items.slice(0, most);
}
