// Waits that an AbortSignal ends. Nothing stays registered on a signal that outlives the wait.

/** Resolves when the signal aborts. */
export function untilAbort(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => onAbort(signal, () => resolve()));
}

/** Settles as the work does, or rejects with the signal's reason as soon as it aborts. */
export async function orAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const given = Promise.withResolvers<never>();
  using _listening = onAbort(signal, given.reject);
  return await Promise.race([work, given.promise]);
}

/** Calls back once when the signal aborts, at once when it has. Disposing of the result stops listening. */
export function onAbort(signal: AbortSignal, callback: (reason: unknown) => void): Disposable {
  const abort = (): void => callback(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true });
  return { [Symbol.dispose]: () => signal.removeEventListener("abort", abort) };
}
