/** Where the database doesn't show when it was put back, this hub counts. */
export function markHistory(mark: string, before: string): string {
  if (mark !== before.split("~")[0]) return mark;
  return `${mark}~${Number(before.split("~")[1] ?? 0) + 1}`;
}
