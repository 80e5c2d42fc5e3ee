// The way out of a subscription: a message leaves when the client gave credit for it and the socket has room.
import type { RunLiveMessage } from "@fairlead/contract";
import { orAbort } from "@fairlead/kernel";
import type { Subscriber } from "../../picture/live/index.ts";

export interface Outlet {
  /** Resolves when the message has left. Rejects when the signal aborts before. */
  send(message: RunLiveMessage): Promise<void>;
  addCredit(messages: number): void;
  /** The socket has room again. */
  resume(): void;
}

export function createOutlet(options: {
  readonly credit: number;
  readonly to: Pick<Subscriber, "canSend" | "send">;
  readonly signal: AbortSignal;
}): Outlet {
  const { to, signal } = options;
  let credit = options.credit;
  let change = Promise.withResolvers<void>();
  return {
    async send(message) {
      while (credit === 0 || !to.canSend()) await orAbort(change.promise, signal);
      signal.throwIfAborted();
      credit -= 1;
      to.send(JSON.stringify(message));
    },
    addCredit(messages) {
      credit = Math.min(credit + messages, maxCredit);
      wake();
    },
    resume: wake,
  };

  function wake(): void {
    change.resolve();
    change = Promise.withResolvers();
  }
}

export const defaultCredit = 16;
const maxCredit = 1_024;
