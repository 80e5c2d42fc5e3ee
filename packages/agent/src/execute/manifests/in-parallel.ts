/**
 * Does something with each item, so many at a time. When one fails no other is begun, and the failure is told after those
 * that were under way have ended.
 */
export async function inParallel<T>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items[Symbol.iterator]();
  const failures: unknown[] = [];
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, drain));
  if (failures.length > 0) throw failures[0];

  async function drain(): Promise<void> {
    for (const item of queue) {
      try {
        await work(item);
      } catch (error) {
        failures.push(error);
      }
      if (failures.length > 0) return;
    }
  }
}

/** An API server serves eight at once without making others wait. */
export const parallelRequests = 8;
