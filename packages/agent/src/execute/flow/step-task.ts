// A step as its kind sees it: a command of its own.
import type { RunLog, Task } from "../types.ts";
import type { FlowRecord } from "./state.ts";
import type { FlowSpec, FlowStep } from "./types.ts";

export function stepTask(options: {
  readonly task: Task<FlowSpec>;
  readonly step: FlowStep;
  readonly index: number;
  /** As the step's runner has parsed it. */
  readonly spec: unknown;
  readonly record: FlowRecord;
  readonly signals: Pick<Task<unknown>, "signal" | "forced">;
  readonly approvedDigest?: string | undefined;
}): Task<unknown> {
  const { task, step, index, spec, record, approvedDigest } = options;
  const { signal, forced } = options.signals;
  let isInside = false;
  const log: RunLog = {
    line(text, isCut = false) {
      const named = text.replace(/^/gm, `${step.id}: `);
      task.log.line(isInside ? named.slice(step.id.length + 2) : named, isCut);
      isInside = isCut;
    },
  };
  return {
    ...task,
    spec,
    log,
    signal,
    forced,
    approvedDigest,
    isStep: true,
    id: `${task.id}-${index + 1}`,
    state: record.slice(index),
    secrets: task.secrets.heeding(signal),
    mayAct({ repair = false } = {}) {
      // A step that cleans up goes on after the flow is cancelled.
      task.mayAct({ repair: true });
      if (!repair) signal.throwIfAborted();
    },
    openPrograms: (wish) => task.openPrograms(wish, { signal, forced, log }),
  };
}
