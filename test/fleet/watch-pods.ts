// A live subscription to a namespace's pods, by someone who goes on with the cursor when the hub says to begin anew.
import { once } from "node:events";
import { type LiveMessage, livePath, liveSubprotocol } from "@fairlead/contract";
import type { TestHub } from "@fairlead/testkit";
import { WebSocket } from "ws";

export interface Watcher extends AsyncDisposable {
  names(): string[];
  /** How many times the hub couldn't go on from the cursor. */
  readonly resets: number;
  readonly errors: readonly string[];
}

export async function watchPods({ port, caPem, adminToken }: TestHub, namespace: string): Promise<Watcher> {
  const headers = { authorization: `Bearer ${adminToken}` };
  const url = `wss://127.0.0.1:${port}${livePath}`;
  const socket = new WebSocket(url, [liveSubprotocol], { headers, ca: caPem });
  const names = new Map<string, string>();
  const errors: string[] = [];
  let resets = 0;
  let cursor: string | undefined;
  await once(socket, "open");
  socket.on("message", (data) => take(JSON.parse(String(data)) as LiveMessage));
  subscribe();
  return {
    names: () => [...names.values()],
    get resets() {
      return resets;
    },
    errors,
    async [Symbol.asyncDispose]() {
      const closed = once(socket, "close");
      socket.close();
      await closed;
    },
  };

  function subscribe(): void {
    const filter = { kind: "pods", namespace };
    socket.send(JSON.stringify({ type: "subscribe", id: "1", filter, ...(cursor !== undefined && { cursor }) }));
  }

  function take(message: LiveMessage): void {
    switch (message.type) {
      case "items":
        for (const { uid, name } of message.items) names.set(uid, name);
        break;
      case "removed":
        for (const { uid } of message.items) names.delete(uid);
        break;
      case "synced":
        cursor = message.cursor;
        if (message.isReset === true) resets += 1;
        break;
      case "error":
        errors.push(message.code);
        subscribe();
        break;
      case "ages":
        break;
      case "run":
      case "runs":
      case "log":
      case "ended":
        throw new Error(`nobody asked for ${message.type}`);
    }
  }
}
