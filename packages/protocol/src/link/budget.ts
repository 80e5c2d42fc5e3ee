/**
 * Bounds what all links of a process cost in memory: the credit that they give out together, and what they keep for peers
 * that haven't acknowledged it. One per process, shared by its links.
 */
export interface LinkBudget {
  readonly totalBytes: number;
  readonly grantedBytes: number;
  /** Takes what is left up to `wantedBytes`; may take nothing. */
  take(wantedBytes: number): number;
  give(sizeBytes: number): void;
  /** Sent and unacknowledged, over all links; tells of what comes to it or goes. */
  readonly retainedBytes: number;
  retain(changeBytes: number): void;
}

export function createLinkBudget(options: { readonly totalBytes: number }): LinkBudget {
  const { totalBytes } = options;
  let grantedBytes = 0;
  let retainedBytes = 0;
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
    get retainedBytes() {
      return retainedBytes;
    },
    retain(changeBytes) {
      retainedBytes += changeBytes;
    },
  };
}
