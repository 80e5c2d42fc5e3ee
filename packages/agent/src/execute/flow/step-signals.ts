// When a step is to stop: with the flow, and when its own time is over. Steps that clean up outlast a graceful cancel.
import { type FairleadError, onAbort } from "@fairlead/kernel";
import { executeErrors } from "../errors.ts";
import type { Task } from "../types.ts";

export interface StepSignals extends Disposable {
  readonly signal: AbortSignal;
  readonly forced: AbortSignal;
  /** The step's own time is over. */
  readonly isTimedOut: boolean;
}

export function openStepSignals(options: {
  readonly task: Pick<Task<unknown>, "signal" | "forced" | "clock">;
  readonly isCleanup: boolean;
  /** How much of the step's time is left. */
  readonly leftMs: number;
  /** Between the time's end and the use of force. */
  readonly graceMs?: number;
}): StepSignals {
  const { task, isCleanup, leftMs, graceMs = defaultGraceMs } = options;
  const graceful = new AbortController();
  const forced = new AbortController();
  let isTimedOut = false;
  using undo = new DisposableStack();
  undo.use(
    onAbort(task.signal, (reason) => {
      if (!isCleanup || !isCancel(reason)) graceful.abort(reason);
    }),
  );
  undo.use(
    onAbort(task.forced, (reason) => {
      graceful.abort(reason);
      forced.abort(reason);
    }),
  );
  undo.defer(
    task.clock.after(leftMs, () => {
      isTimedOut = !graceful.signal.aborted;
      // Kinds know this as what lets them say what they did until then.
      graceful.abort(executeErrors.COMMAND_CANCELLED());
      undoLater.defer(task.clock.after(graceMs, () => forced.abort(executeErrors.COMMAND_CANCELLED())));
    }),
  );
  const undoLater = undo.move();
  return {
    signal: graceful.signal,
    forced: forced.signal,
    get isTimedOut() {
      return isTimedOut;
    },
    [Symbol.dispose]: () => undoLater.dispose(),
  };
}

export function isCancel(reason: unknown): reason is FairleadError {
  return executeErrors.is(reason, "COMMAND_CANCELLED");
}

/** For what a rollback takes. */
const defaultGraceMs = 5 * 60_000;
