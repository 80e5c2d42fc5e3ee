// Looks while something is fetched how large it has become.
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "@fairlead/kernel";

export function watchSize(options: {
  readonly folder: string;
  readonly limitBytes: number;
  readonly limitFiles?: number | undefined;
  readonly clock: Clock;
}): Disposable & { readonly exceeded: AbortSignal } {
  const { folder, limitBytes, limitFiles = Number.POSITIVE_INFINITY, clock } = options;
  const exceeded = new AbortController();
  let isOver = false;
  let cancel = clock.after(everyMs, look);
  return {
    exceeded: exceeded.signal,
    [Symbol.dispose]() {
      isOver = true;
      cancel();
    },
  };

  function look(): void {
    void sizeOf(folder, limitFiles).then((sizeBytes) => {
      if (isOver) return;
      if (sizeBytes > limitBytes) exceeded.abort(new Error("It is too large."));
      else cancel = clock.after(everyMs, look);
    });
  }
}

/** Files come and go meanwhile. */
async function sizeOf(folder: string, limitFiles: number): Promise<number> {
  const entries = await readdir(folder, { recursive: true }).catch(() => []);
  if (entries.length > limitFiles) return Number.POSITIVE_INFINITY;
  const sizes = await Promise.all(
    entries.map((name) =>
      stat(join(folder, name)).then(
        (found) => (found.isFile() ? found.size : 0),
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

const everyMs = 100;
