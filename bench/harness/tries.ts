/** Runs so many side by side; answers how many held, and says why others failed. */
export async function countWhole(options: {
  what: string;
  count: number;
  run: (index: number) => Promise<boolean>;
  say: (text: string) => void;
}): Promise<number> {
  const { what, count, run, say } = options;
  const reasons = new Map<string, number>();
  const note = (reason: string) => void reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  const results = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      try {
        const isWhole = await run(index);
        if (!isWhole) note("what came was not what was sent");
        return isWhole;
      } catch (error) {
        note(error instanceof Error ? error.message : String(error));
        return false;
      }
    }),
  );
  for (const [reason, times] of reasons) say(`${times} of ${count} ${what} failed: ${reason}`);
  return results.filter(Boolean).length;
}
