export interface Rounds {
  readonly most: number;
  readonly budgetMs: number;
}

/** Counts rounds up to `most`, fewer once the time is spent, on a machine that is slow; at least one. */
export function* countRounds(options: Rounds): Generator<number> {
  const { most, budgetMs } = options;
  const startedAt = performance.now();
  for (let round = 1; round <= most; round++) {
    yield round;
    const spentMs = performance.now() - startedAt;
    // Another round would take about as long as each of those before it.
    if (spentMs + spentMs / round > budgetMs) return;
  }
}
