// The hub's live socket as a test plays it: it sees what was asked and says what it likes.
import { once } from "node:events";
import type { Server } from "node:https";
import { type LiveMessage, type LiveRequest, liveRequestSchema, liveSubprotocol } from "@fairlead/contract";
import { type WebSocket, WebSocketServer } from "ws";

export interface FakeLive {
  /** Tokens that connections came with. */
  readonly tokens: string[];
  /** False, as at first: it does as hubs did that knew of no subscriptions to runs. */
  knowsRuns: boolean;
  /** The next connection that is opened. */
  next(): Promise<FakeConnection>;
}

export interface FakeConnection {
  /** The next thing that the client says. */
  receive(): Promise<LiveRequest>;
  /** Sends in order; for items, waits until they are taken. */
  say(...messages: LiveMessage[]): Promise<void>;
  /** Ends it without a word. */
  cut(): void;
}

export function serveFakeLive(server: Server, isGood: (token: string) => boolean): FakeLive {
  const sockets = new WebSocketServer({ noServer: true, handleProtocols: () => liveSubprotocol });
  const opened: FakeConnection[] = [];
  const tokens: string[] = [];
  const arrivals = new EventTarget();
  server.on("upgrade", (request, socket, head) => {
    const token = request.headers.authorization?.replace(/^Bearer /, "") ?? "";
    tokens.push(token);
    if (!isGood(token)) {
      const problem = JSON.stringify({
        type: "x",
        title: "x",
        status: 401,
        code: "AUTH_INVALID",
        detail: "Not known.",
      });
      const head401 = `HTTP/1.1 401 Unauthorized\r\nContent-Length: ${problem.length}\r\nConnection: close\r\n\r\n`;
      return void socket.end(head401 + problem);
    }
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      opened.push(createConnection(webSocket, () => live.knowsRuns));
      arrivals.dispatchEvent(new Event("opened"));
    });
  });
  const live: FakeLive = {
    tokens,
    knowsRuns: false,
    async next() {
      for (;;) {
        const connection = opened.shift();
        if (connection) return connection;
        await once(arrivals, "opened");
      }
    },
  };
  return live;
}

function createConnection(webSocket: WebSocket, knowsRuns: () => boolean): FakeConnection {
  const received: LiveRequest[] = [];
  const arrivals = new EventTarget();
  webSocket.on("message", (data) => {
    const request = liveRequestSchema.parse(JSON.parse(String(data)));
    if (request.type.startsWith("follow-run") && !knowsRuns()) return webSocket.close(1008, "LIVE_REQUEST_INVALID");
    received.push(request);
    arrivals.dispatchEvent(new Event("received"));
  });
  const connection: FakeConnection = {
    async receive() {
      for (;;) {
        const request = received.shift();
        if (request) return request;
        await once(arrivals, "received");
      }
    },
    async say(...messages) {
      for (const message of messages) {
        webSocket.send(JSON.stringify(message));
        if (awaited.has(message.type)) await connection.receive();
      }
    },
    cut: () => webSocket.terminate(),
  };
  return connection;
}

/** Those that the client gives credit for when it has taken them. */
const awaited: ReadonlySet<LiveMessage["type"]> = new Set(["items", "removed", "run", "runs", "log"]);
