// The WebSocket protocols of exec and port-forward, as Kubernetes' clients in browsers and in Python speak them: the
// first byte of each message names a channel.
import { once } from "node:events";
import { WebSocket } from "ws";
import type { Route } from "./load.ts";

export interface KubeSocket extends AsyncDisposable {
  send(channel: number, data: Uint8Array): void;
  /** Settles when the other side has ended the session, or the connection is lost. */
  readonly closed: Promise<{ code: number }>;
}

export const channels = { stdin: 0, stdout: 1, stderr: 2, status: 3, close: 255 };

export async function openKubeSocket(options: {
  route: Route;
  path: string;
  /** v5 can end standard input; port-forward knows up to v4. */
  subprotocol: "v5.channel.k8s.io" | "v4.channel.k8s.io";
  /** Called for every message, in order. */
  onMessage: (channel: number, data: Buffer) => void;
}): Promise<KubeSocket> {
  const { route, path, subprotocol, onMessage } = options;
  const url = `${route.origin.replace("https:", "wss:")}${route.pathPrefix}${path}`;
  const socket = new WebSocket(url, subprotocol, {
    ca: route.ca,
    headers: { authorization: route.authorization },
    perMessageDeflate: false,
    handshakeTimeout: 60_000,
  });
  socket.binaryType = "nodebuffer";
  socket.on("message", (data: Buffer) => onMessage(data[0] ?? 0, data.subarray(1)));
  const closed = new Promise<{ code: number }>((resolve) => socket.once("close", (code) => resolve({ code })));
  await once(socket, "open");
  socket.on("error", () => {});
  return {
    send: (channel, data) => socket.send(Buffer.concat([Buffer.of(channel), data])),
    closed,
    async [Symbol.asyncDispose]() {
      socket.terminate();
      await closed;
    },
  };
}
