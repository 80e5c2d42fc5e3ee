/** Bounds the frames that lanes of several links keep for peers which haven't acknowledged them. */
export interface RetentionBudget {
  /** True when so much is kept that each peer may have little. */
  readonly isRetainingMuch: boolean;
  /** Tells of what comes to it or goes. */
  retain(changeBytes: number): void;
}
