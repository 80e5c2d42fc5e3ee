// Whether this hub can tell by the database who is dead. When the database stands still, all hubs are silent, and the first
// that comes back must not take the others for dead. So a hub judges only while its own beats come in time, and have for
// longer than a dead hub is silent.
export interface Steadiness {
  /** A beat has reached the database. True when this hub can tell who is dead. */
  note(nowMs: number): boolean;
  /** A beat has failed. */
  lose(): void;
}

export function createSteadiness(): Steadiness {
  let steady: { readonly sinceMs: number; readonly lastMs: number } | undefined;
  return {
    note(nowMs) {
      const isInTime = steady !== undefined && nowMs - steady.lastMs <= lateMs;
      steady = { sinceMs: isInTime ? (steady?.sinceMs ?? nowMs) : nowMs, lastMs: nowMs };
      return nowMs - steady.sinceMs >= patienceMs;
    },
    lose() {
      steady = undefined;
    },
  };
}

/** Two beats. With one more, others' silence of as long is still shorter than `silence` of the store. */
const lateMs = 3_000;
/** Longer than `silence` of the store, and than a beat that is late. */
const patienceMs = 8_000;
