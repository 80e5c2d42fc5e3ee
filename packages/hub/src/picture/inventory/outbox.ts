// The hub's direction of a call. Of acknowledgements, and of what the cluster is examined by, the newest is kept; anything
// else is handed over one by one, so that whoever asks faster than they read waits. Nothing grows with a reader that
// doesn't read.

import type { FairleadError } from "@fairlead/kernel";

export interface OutboxAnswer {
  readonly message:
    | { readonly case: "welcome"; readonly value: { readonly maxUnackedBytes: number } }
    | {
        readonly case: "digests";
        readonly value: {
          readonly kind: number;
          readonly bucketCount: number;
          readonly objectCount: number;
          readonly digests: bigint[];
        };
      }
    | {
        readonly case: "bucketEntries";
        readonly value: {
          readonly kind: number;
          readonly bucketCount: number;
          readonly bucket: number;
          readonly uids: string[];
          readonly versions: bigint[];
        };
      }
    | { readonly case: "ack"; readonly value: { readonly sequence: bigint } }
    | { readonly case: "refusal"; readonly value: QuotaRefusal }
    | { readonly case: "examineBy"; readonly value: ExamineBy };
}

interface ExamineBy {
  readonly generation: bigint;
  readonly profile: string;
  readonly content: string;
}

interface QuotaRefusal {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

export class Outbox implements AsyncIterable<OutboxAnswer> {
  #acknowledged: bigint | undefined;
  /** Each is said once. */
  readonly #refusals = new Map<string, { readonly refusal: QuotaRefusal; isSaid: boolean }>();
  #examineBy: ExamineBy | undefined;
  #waiting: { readonly answer: OutboxAnswer; readonly taken: () => void } | undefined;
  #end: { readonly error: unknown } | undefined;
  #wake: (() => void) | undefined;

  acknowledge(sequence: bigint): void {
    this.#acknowledged = sequence;
    this.#wake?.();
  }

  refuse({ code, message, hint = "" }: FairleadError): void {
    if (this.#refusals.has(code)) return;
    this.#refusals.set(code, { refusal: { code, message, hint }, isSaid: false });
    this.#wake?.();
  }

  examineBy(wanted: ExamineBy): void {
    this.#examineBy = wanted;
    this.#wake?.();
  }

  /** Resolves when the answer was taken, or never will be. Send one at a time. */
  send(message: OutboxAnswer["message"]): Promise<void> {
    if (this.#end) return Promise.resolve();
    return new Promise((taken) => {
      this.#waiting = { answer: { message }, taken };
      this.#wake?.();
    });
  }

  /** After what is in it; with an error, at once. */
  end(error?: unknown): void {
    this.#end ??= { error };
    if (error !== undefined) this.#waiting?.taken();
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<OutboxAnswer, void, undefined> {
    try {
      while (true) {
        if (this.#end?.error !== undefined) throw this.#end.error;
        const sequence = this.#acknowledged;
        const waiting = this.#waiting;
        const examineBy = this.#examineBy;
        const unsaid = [...this.#refusals.values()].find(({ isSaid }) => !isSaid);
        if (sequence !== undefined) {
          this.#acknowledged = undefined;
          yield { message: { case: "ack", value: { sequence } } };
        } else if (unsaid) {
          unsaid.isSaid = true;
          yield { message: { case: "refusal", value: unsaid.refusal } };
        } else if (examineBy) {
          this.#examineBy = undefined;
          yield { message: { case: "examineBy", value: examineBy } };
        } else if (waiting) {
          this.#waiting = undefined;
          waiting.taken();
          yield waiting.answer;
        } else {
          if (this.#end) return;
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
          this.#wake = undefined;
        }
      }
    } finally {
      this.#end ??= { error: undefined };
      this.#waiting?.taken();
    }
  }
}
