/** Limits the number of things that may be there at once, over several links. */
export interface Slots {
  /** False when none is free. */
  take(): boolean;
  give(): void;
}

export function createSlots(most: number): Slots {
  let taken = 0;
  return {
    take() {
      if (taken >= most) return false;
      taken++;
      return true;
    },
    give() {
      taken--;
    },
  };
}
