// Waves one after the other, a few clusters of each at a time. After the first failure nothing more is begun.
import { Slots } from "@fairlead/kernel";

export interface WaveRun<T> {
  readonly waves: readonly (readonly T[])[];
  readonly maxParallel: number;
  /** Throws when it failed. */
  run(item: T): Promise<void>;
}

export interface WaveOutcome<T> {
  readonly done: readonly T[];
  /** The items that weren't started. */
  readonly left: readonly T[];
  /** The first one is why the rest was left. */
  readonly failures: readonly unknown[];
}

export async function runInWaves<T>({ waves, maxParallel, run }: WaveRun<T>): Promise<WaveOutcome<T>> {
  const done: T[] = [];
  const left = new Set(waves.flat());
  const failures: unknown[] = [];
  for (const wave of waves) {
    const slots = new Slots(maxParallel);
    await Promise.all(wave.map((item) => runOne(item, slots)));
    if (failures.length > 0) break;
  }
  return { done, left: [...left], failures };

  async function runOne(item: T, slots: Slots): Promise<void> {
    const leave = await slots.enter();
    try {
      if (failures.length > 0) return;
      left.delete(item);
      await run(item);
      done.push(item);
    } catch (thrown) {
      failures.push(thrown);
    } finally {
      leave();
    }
  }
}
