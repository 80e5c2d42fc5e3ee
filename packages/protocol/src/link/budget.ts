/** Bounds the credit that all links of a process give out together: one per process, shared by its links. */
export interface LinkBudget {
  readonly totalBytes: number;
  readonly grantedBytes: number;
  /** Takes what is left up to `wantedBytes`; may take nothing. */
  take(wantedBytes: number): number;
  give(sizeBytes: number): void;
}

export function createLinkBudget(options: { readonly totalBytes: number }): LinkBudget {
  const { totalBytes } = options;
  let grantedBytes = 0;
  return {
    totalBytes,
    get grantedBytes() {
      return grantedBytes;
    },
    take(wantedBytes) {
      const taken = Math.max(0, Math.min(wantedBytes, totalBytes - grantedBytes));
      grantedBytes += taken;
      return taken;
    },
    give(sizeBytes) {
      grantedBytes -= sizeBytes;
    },
  };
}
