import { Backoff } from "@fairlead/kernel";
import { pause } from "../files/index.ts";
import { throwUnlessRetryable } from "./throw-unless-retryable.ts";

/** Yields from a stream that is opened again whenever it breaks. `open` knows where to go on. */
export async function* streamAgain<T>(options: {
  readonly open: () => AsyncIterable<T>;
  /** The hub ended the stream: whether there is nothing more to come. */
  readonly isOver: () => Promise<boolean>;
  readonly pauseMs: { readonly baseMs: number; readonly maxMs: number };
  readonly signal: AbortSignal;
  readonly remark: (text: string) => void;
}): AsyncGenerator<T> {
  const { open, isOver, pauseMs, signal, remark } = options;
  const backoff = new Backoff(pauseMs);
  for (;;) {
    try {
      for await (const item of open()) {
        backoff.reset();
        yield item;
      }
      if (await isOver()) return;
    } catch (thrown) {
      throwUnlessRetryable(thrown, { signal, remark });
    }
    await pause(backoff.nextMs(), signal);
  }
}
