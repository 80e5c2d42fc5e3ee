import { Slots } from "@fairlead/kernel";

/** Bounds how many of a cluster's writes to the hub's objects run at a time, and how many wait. */
export class PacedWrites {
  readonly #slots = new Slots(writesAtOnce);
  #open = 0;
  #onRoom: PromiseWithResolvers<void> | undefined;

  /** `ready`: what it waits for first, without taking room from others. */
  async run<Result>(write: () => Promise<Result>, ready: Promise<unknown> = Promise.resolve()): Promise<Result> {
    this.#open += 1;
    try {
      await ready;
      const leave = await this.#slots.enter();
      try {
        return await write();
      } finally {
        leave();
      }
    } finally {
      this.#open -= 1;
      if (this.#open < mostOpen) {
        this.#onRoom?.resolve();
        this.#onRoom = undefined;
      }
    }
  }

  /** Resolves when most are written. The hub reads no more from the cluster's agent until then. */
  async untilRoom(): Promise<void> {
    if (this.#open < mostOpen) return;
    this.#onRoom ??= Promise.withResolvers();
    await this.#onRoom.promise;
  }
}

const writesAtOnce = 16;
const mostOpen = 256;
