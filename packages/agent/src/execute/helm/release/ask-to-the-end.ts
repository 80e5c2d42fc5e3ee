import { act, read } from "../../manifests/attempt.ts";
import type { Task } from "../../types.ts";

/** Asks the API server also after a cancel: whoever leaves looks how things are, and puts right what is half done. */
export function askToTheEnd<T>(task: Task<unknown>, ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
  if (!task.signal.aborted) return read(task, ask);
  if (!task.forced.aborted) return act(task, ask, { repair: true });
  // Nobody waits for it any more: once, and not for long.
  task.mayAct({ repair: true });
  return ask(AbortSignal.timeout(lastMs));
}

const lastMs = 10_000;
