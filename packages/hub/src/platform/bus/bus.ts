// The same for all adapters: hints are bundled on their way out, and a bus that comes back has its listeners look at
// everything, since hints were lost meanwhile.
import type { Clock } from "@fairlead/kernel";
import type { Logger } from "../telemetry/index.ts";
import { createBundle } from "./bundle.ts";
import { readBusMessage, writeBusMessage } from "./message.ts";
import type { Adapter, Bus, BusState, Hint } from "./types.ts";

export interface BusOptions {
  readonly adapter: Adapter;
  /** Tells this hub's messages from those of others. */
  readonly hubInstanceId: string;
  readonly clock: Clock;
  readonly log: Logger;
}

export async function openBus({ adapter, hubInstanceId, clock, log }: BusOptions): Promise<Bus> {
  const listeners = new Set<(hint: Hint) => void>();
  const bundle = createBundle({ maxBytes: maxBundleBytes });
  const counters = { hints: 0, sent: 0, received: 0, failed: 0 };
  let state: BusState = { kind: "up" };
  let isBetweenMessages = false;
  let isClosed = false;
  let cancel: () => void = () => undefined;
  const transport = await adapter.open({ onMessage: receive, onState: become });

  return {
    adapter: adapter.name,
    counters,
    get state() {
      return state;
    },
    hint(topic, detail) {
      counters.hints += 1;
      bundle.add(topic, detail);
      if (!isBetweenMessages) void flush();
    },
    onHint(listener) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      cancel();
      listeners.clear();
      await transport[Symbol.asyncDispose]();
    },
  };

  /** Sends one message at a time, with a pause after each. */
  async function flush(): Promise<void> {
    const content = isClosed ? undefined : bundle.take();
    if (content === undefined) return;
    isBetweenMessages = true;
    try {
      await transport.send(writeBusMessage(hubInstanceId, content));
      counters.sent += 1;
    } catch {
      counters.failed += 1; // the others find out by their timers, and the state says why
    }
    cancel = clock.after(pauseMs, () => {
      isBetweenMessages = false;
      void flush();
    });
  }

  function receive(text: string): void {
    const { from, hints } = readBusMessage(text);
    if (isClosed || from === hubInstanceId) return;
    counters.received += 1;
    for (const hint of hints) tell(hint);
  }

  function tell(hint: Hint): void {
    for (const listener of listeners) listener(hint);
  }

  function become(next: BusState): void {
    if (isClosed) return;
    const before = state;
    state = next;
    const { name: bus } = adapter;
    if (next.kind === "away" && before.kind === "up") {
      log.warn({ bus, err: next.error }, "the bus is away: hubs see each other's changes a second later");
    }
    if (next.kind === "up" && before.kind === "away") {
      log.info({ bus, awayMs: clock.now() - before.sinceMs }, "the bus is there");
      tell({ kind: "everything" });
    }
  }
}

/** So that at most some twenty messages leave in a second. */
const pauseMs = 50;
/** A message has the name of its hub, too, and PostgreSQL takes less than 8,000 bytes. */
const maxBundleBytes = 7_000;
