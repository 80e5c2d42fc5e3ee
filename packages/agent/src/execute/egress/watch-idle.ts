import type { Clock } from "@fairlead/kernel";

export interface IdleWatch extends Disposable {
  /** Something has happened. */
  readonly touch: () => void;
}

/** Calls back once when nothing has happened for so long. */
export function watchIdle(options: {
  readonly clock: Clock;
  readonly idleMs: number;
  readonly onIdle: () => void;
}): IdleWatch {
  const { clock, idleMs, onIdle } = options;
  let lastMs = clock.steadyMs();
  let cancel = clock.after(idleMs, look);
  return {
    touch: () => {
      lastMs = clock.steadyMs();
    },
    [Symbol.dispose]: () => cancel(),
  };

  function look(): void {
    const leftMs = lastMs + idleMs - clock.steadyMs();
    if (leftMs <= 0) onIdle();
    else cancel = clock.after(leftMs, look);
  }
}
