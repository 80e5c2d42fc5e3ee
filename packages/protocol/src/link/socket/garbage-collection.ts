// A process that moves bulk makes and drops a Buffer per TLS record. V8 answers 64 MiB of them with a whole mark and
// sweep of everything else that lives in the process: a dozen a second, half of the CPU time of a transfer (measured).
// Counted as part of the heap's own limit instead, nearly all of them die in cheap collections of young objects.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * Tunes this process for moving bulk; call it once, before there is traffic. `heapGrowingPercent` is how far the heap,
 * Buffers included, may grow beyond what lives before all of it is looked at: more for a process of which little lives.
 */
export function tuneGarbageCollection(options: { readonly heapGrowingPercent?: number } = {}): void {
  setFlagsFromString("--external-memory-accounted-in-global-limit");
  // A small young generation is collected often and cheaply, and lets go of its Buffers while they are still warm in
  // the cache; a burst of handshakes doesn't leave 64 MiB of room behind that nobody gives back.
  setFlagsFromString("--semi-space-growth-factor=1");
  // Waking other threads to collect so little costs more than it saves: a sixth of a busy hub's CPU time.
  setFlagsFromString("--no-parallel-scavenge");
  const { heapGrowingPercent } = options;
  if (heapGrowingPercent !== undefined) setFlagsFromString(`--heap-growing-percent=${heapGrowingPercent}`);
}

/**
 * Looks at the whole heap now. How far a heap may grow counts from such a look, and before the first one V8 lets it grow
 * by a hundred MiB, Buffers included, which stay the process's.
 */
export function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  setFlagsFromString("--no-expose-gc");
  collect();
}
