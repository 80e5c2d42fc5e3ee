/**
 * Makes one run at a time. All callers that ask during a run share the next one, so that theirs begins after they
 * asked.
 */
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
