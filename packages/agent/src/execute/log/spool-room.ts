// What the logs of all commands may take of this agent's disk for what the hub lacks. It is asked for by programs before
// they say more; what they have said is kept in any case.

export interface SpoolRoom {
  readonly usedBytes: number;
  /** Negative when bytes are given back. */
  use(bytes: number): void;
  /** Undefined while there is room; else resolves when there is some again. */
  untilFree(): Promise<void> | undefined;
}

export function createSpoolRoom({ mostBytes }: { readonly mostBytes: number }): SpoolRoom {
  let usedBytes = 0;
  let waiting: PromiseWithResolvers<void> | undefined;
  return {
    get usedBytes() {
      return usedBytes;
    },
    use(bytes) {
      usedBytes += bytes;
      if (usedBytes >= mostBytes) return;
      waiting?.resolve();
      waiting = undefined;
    },
    untilFree() {
      if (usedBytes < mostBytes) return undefined;
      waiting ??= Promise.withResolvers<void>();
      return waiting.promise;
    },
  };
}
