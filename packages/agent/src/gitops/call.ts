// Runs a call to the hub until it ends. The ends of the flows exist before the call and after it.
import { createClient } from "@connectrpc/connect";
import { type Clock, orAbort, repeat } from "@fairlead/kernel";
import {
  type AgentHello,
  createLinkTransport,
  GitopsService,
  type HubHello,
  type Link,
  type ReplicaMessage,
} from "@fairlead/protocol";
import type { KindAbility } from "./abilities.ts";
import type { Ends, OpenExchange } from "./ends.ts";
import { gitopsErrors } from "./errors.ts";

export type Hello = Omit<AgentHello, "$typeName" | "$unknown" | "abilities"> & {
  readonly abilities: readonly KindAbility[];
};

export interface CallOptions {
  readonly link: Link;
  readonly hello: Hello;
  /** The ends that the hub's hello asks for; throws when the call is to end. */
  readonly welcome: (hello: HubHello) => Ends;
  readonly clock: Clock;
  readonly random: () => number;
  readonly signal: AbortSignal;
}

/** Runs until the signal aborts or the hub or the link ends it; rejects with the reason. */
export async function runCall(options: CallOptions): Promise<never> {
  const { link, hello, welcome, clock, random } = options;
  const leaving = new AbortController();
  const signal = AbortSignal.any([options.signal, leaving.signal]);
  const opened = Promise.withResolvers<OpenExchange>();
  opened.promise.catch(() => undefined);
  let exchange: OpenExchange | undefined;
  using undo = new DisposableStack();
  undo.defer(clock.after(welcomeMs, () => exchange ?? leaving.abort(notWelcomed())));
  try {
    signal.throwIfAborted();
    const client = createClient(GitopsService, createLinkTransport({ link }));
    for await (const { message } of client.replicate(outgoing(), { signal })) {
      if (message.case === "hello" && exchange === undefined) open(message.value);
      else if (message.case === "batch") exchange?.receive(message.value.messages);
    }
    throw gitopsErrors.GITOPS_CALL_ENDED();
  } finally {
    // A call that is left early ends by its signal alone.
    leaving.abort(gitopsErrors.GITOPS_CALL_ENDED());
  }

  function open(answer: HubHello): void {
    const ends = welcome(answer);
    exchange = undo.use(ends.open());
    opened.resolve(exchange);
    undo.use(
      repeat({
        // Agents that came back together don't ask together.
        clock,
        intervalMs: compareMs * (0.75 + random() / 2),
        onError: (error) => leaving.abort(error),
        run: () => {
          for (const source of ends.sources.values()) source.compare();
        },
      }),
    );
  }

  async function* outgoing(): AsyncGenerator<Outgoing> {
    yield { message: { case: "hello", value: { ...hello, abilities: [...hello.abilities] } } };
    const { batches } = await orAbort(opened.promise, signal);
    for await (const messages of batches(signal)) yield { message: { case: "batch", value: { messages } } };
  }
}

interface Outgoing {
  readonly message:
    | { case: "hello"; value: Omit<Hello, "abilities"> & { abilities: KindAbility[] } }
    | { case: "batch"; value: { messages: ReplicaMessage[] } };
}

function notWelcomed(): Error {
  return gitopsErrors.GITOPS_NOT_WELCOMED({ seconds: welcomeMs / 1000 });
}

const welcomeMs = 60_000;
const compareMs = 10 * 60_000;
