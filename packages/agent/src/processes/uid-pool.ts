// Users of this machine for runs: each has one that no other run has meanwhile.
import { Slots } from "@fairlead/kernel";

export interface UidRange {
  readonly first: number;
  readonly last: number;
}

export class UidPool {
  readonly #free: number[];
  readonly #slots: Slots;

  constructor({ first, last }: UidRange) {
    this.#free = Array.from({ length: last - first + 1 }, (_, index) => first + index);
    this.#slots = new Slots(this.#free.length);
  }

  /** Waits for one. */
  async take(signal: AbortSignal): Promise<Disposable & { readonly uid: number }> {
    const leave = await this.#slots.enter(signal);
    const uid = this.#free.shift() as number;
    return {
      uid,
      [Symbol.dispose]: () => {
        this.#free.push(uid);
        leave();
      },
    };
  }
}
