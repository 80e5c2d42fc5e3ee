/** Resolves after a run that began after the call. Those who come while one is under way share the next. */
export function createSharedRun(run: () => Promise<void>): () => Promise<void> {
  let current: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  return async () => {
    if (current !== undefined) next ??= current.catch(() => undefined).then(begin);
    await (next ?? begin());
  };

  async function begin(): Promise<void> {
    next = undefined;
    const mine = run().finally(() => {
      if (current === mine) current = undefined;
    });
    current = mine;
    await mine;
  }
}
