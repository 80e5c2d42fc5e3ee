/** One run at a time. Who asks while one is under way shares the next one with all who do: it begins after they asked. */
export function shareRuns(run: () => Promise<void>): () => Promise<void> {
  let current: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  return () => {
    next ??= current.then(begin, begin);
    return next;
  };

  function begin(): Promise<void> {
    next = undefined;
    current = run();
    return current;
  }
}
