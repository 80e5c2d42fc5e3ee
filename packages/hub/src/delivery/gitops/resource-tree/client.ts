// A client's connection, written to at the pace at which it reads: one that doesn't read is closed and never waited for
// with more than a reply in memory.
import type { Socket } from "node:net";
import type { Clock } from "@fairlead/kernel";

export interface RespClient {
  readonly socket: Socket;
  /** Aborts when the connection is over. */
  readonly closed: AbortSignal;
  /** Resolves when there is room for more; rejects when the connection is over. Each call's bytes stay together. */
  send(bytes: Uint8Array): Promise<void>;
}

export function createRespClient({ socket, clock }: { readonly socket: Socket; readonly clock: Clock }): RespClient {
  const closing = new AbortController();
  let waiting: PromiseWithResolvers<void> | undefined;
  socket.on("error", () => socket.destroy());
  socket.on("drain", () => {
    waiting?.resolve();
    waiting = undefined;
  });
  socket.once("close", () => {
    const reason = new Error("the client has gone");
    closing.abort(reason);
    waiting?.reject(reason);
    waiting = undefined;
  });
  return {
    socket,
    closed: closing.signal,
    async send(bytes) {
      closing.signal.throwIfAborted();
      if (socket.write(bytes)) return;
      const cancel = clock.after(stalledMs, () => socket.destroy());
      waiting ??= Promise.withResolvers();
      await waiting.promise.finally(cancel);
    },
  };
}

const stalledMs = 30_000;
