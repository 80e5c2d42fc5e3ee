// An agent's call from its first message to its end, whoever ends it.
import { type Clock, onAbort, sleep, takeUntilAbort } from "@fairlead/kernel";
import type { SyncRequest } from "@fairlead/protocol";
import { type Beginning, readStart } from "./admission.ts";
import { inventoryErrors } from "./errors.ts";
import { Outbox, type OutboxAnswer } from "./outbox.ts";

export interface BegunCall {
  readonly start: Beginning;
  /** The agent's messages after the start. */
  readonly requests: AsyncIterable<SyncRequest>;
  readonly outbox: Outbox;
  readonly end: (reason: unknown) => void;
  /** Aborts when the call ends, for whatever reason. */
  readonly signal: AbortSignal;
}

export async function* serveCall(options: {
  readonly requests: AsyncIterable<SyncRequest>;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Throws why the call may not begin. */
  readonly admit: () => void;
  readonly serve: (call: BegunCall) => Promise<void>;
  readonly onError: (error: unknown) => void;
}): AsyncGenerator<OutboxAnswer> {
  const { requests, signal, clock, admit, serve, onError } = options;
  admit();
  const outbox = new Outbox();
  const ended = new AbortController();
  const end = (reason: unknown): void => {
    ended.abort(reason);
    outbox.end(reason);
  };
  using _listening = onAbort(signal, end);
  const reading = read().then(
    () => outbox.end(),
    (error: unknown) => {
      onError(error);
      outbox.end(error);
    },
  );
  try {
    yield* outbox;
  } finally {
    end(undefined);
    void reading;
  }

  async function read(): Promise<void> {
    const messages = takeUntilAbort(requests, ended.signal);
    const begun = await Promise.race([messages.next(), timeOut()]);
    const message = begun?.value?.message as SyncRequest["message"] | undefined;
    if (message?.case !== "start")
      throw inventoryErrors.INVENTORY_REQUEST_INVALID({ reason: "a call must begin with Start" });
    const start = readStart(message.value);
    await serve({ start, requests: messages, outbox, end, signal: ended.signal });
  }

  async function timeOut(): Promise<undefined> {
    await sleep(startTimeoutMs, { clock, signal: ended.signal });
    throw inventoryErrors.INVENTORY_REQUEST_INVALID({ reason: "the call is empty" });
  }
}

const startTimeoutMs = 15_000;
