// A clock for a program of ours that a test sets while the program runs, as a person or a time service does. Its steady
// clock, its timers and the programs that it starts go by the machine's.
import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export interface SteppedClock {
  /** The program is started with it. */
  readonly env: Readonly<Record<string, string>>;
  /** Within a tenth of a second the program's clock is so far ahead of the machine's. */
  set(aheadMs: number): Promise<void>;
}

export async function makeSteppedClock(folder: string): Promise<SteppedClock> {
  const file = join(folder, "clock");
  const set = async (aheadMs: number): Promise<void> => {
    await writeFile(`${file}.new`, String(aheadMs));
    await rename(`${file}.new`, file);
  };
  await set(0);
  const preload = fileURLToPath(new URL("./stepped-clock.fixture.ts", import.meta.url));
  return { env: { NODE_OPTIONS: `--import=${preload}`, FAIRLEAD_TEST_CLOCK: file }, set };
}
