/** A time during which this process leads its cluster's observers. */
export interface Term {
  /** Higher than that of every earlier term, whoever had it: the hub refuses a lower one. */
  readonly epoch: bigint;
  /** Aborts as soon as another process may lead. */
  readonly signal: AbortSignal;
}

export interface Lead {
  /** Undefined while another process leads. */
  readonly current: Term | undefined;
  /** The term that this process has, or the next that it gets. Rejects with the signal's reason. */
  untilLeading(signal: AbortSignal): Promise<Term>;
  /** Stands for election until the signal aborts; then lets go of the lead, so that the next one needn't wait. */
  run(signal: AbortSignal): Promise<void>;
}
