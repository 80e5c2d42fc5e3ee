/** The source of a link's credit, which others may draw on as well. */
export interface CreditBudget {
  /** A window may grow by so much now: a small part of what is left, so that the last comer gets some too. */
  readonly spareBytes: number;
  /** Takes what is left up to `wantedBytes`; may take nothing. */
  take(wantedBytes: number): number;
  give(sizeBytes: number): void;
}

/** A quarter is kept for the small first window of every stream. */
export function spareOf(totalBytes: number, usedBytes: number): number {
  return Math.max(0, Math.floor((totalBytes * 0.75 - usedBytes) / 16));
}
