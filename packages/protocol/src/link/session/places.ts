/** Limits the number of things that may be there at once, over several links. */
export interface Places {
  /** False when none is free. */
  take(): boolean;
  give(): void;
}

export function createPlaces(most: number): Places {
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
