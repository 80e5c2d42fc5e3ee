/**
 * Gives what the source gives, until the signal aborts: then it throws the signal's reason at once, whatever the source
 * waits for. A race with one promise for the signal would grow with every value.
 */
export async function* takeUntilAbort<T>(
  source: AsyncIterable<T>,
  signal: AbortSignal,
): AsyncGenerator<T, void, undefined> {
  const iterator = source[Symbol.asyncIterator]();
  let giveUp: ((reason: unknown) => void) | undefined;
  const abort = (): void => giveUp?.(signal.reason);
  signal.addEventListener("abort", abort);
  try {
    while (true) {
      signal.throwIfAborted();
      const next = await new Promise<IteratorResult<T>>((resolve, reject) => {
        giveUp = reject;
        iterator.next().then(resolve, reject);
      });
      if (next.done) return;
      yield next.value;
    }
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
