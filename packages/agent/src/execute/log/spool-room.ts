// The room on this agent's disk for the logs of all commands that the hub hasn't got yet. Programs say no more while
// there is none; whatever they have said is kept in any case.

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
