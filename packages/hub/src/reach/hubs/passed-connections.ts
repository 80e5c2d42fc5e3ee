// Takes connections of agents that came to another hub and are for links of this one. They arrive as streams between the
// hubs, and become WebSockets again here. The other hub has checked that the agent holds its certificate's key, or that its
// mesh vouches for it; whether that still counts is checked here once more.
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type LinkStream, linkServerOptions, nodeHttp, resetCodes, type StreamAcceptor } from "@fairlead/protocol";
import { WebSocketServer } from "ws";
import type { Logger } from "../../platform/telemetry/index.ts";
import type { StrayConnection } from "../links/index.ts";
import { readCredential, readHeader } from "./credential-headers.ts";
import { agentAddressHeader } from "./pass-on.ts";
import { createStreamDuplex } from "./stream-duplex.ts";

export function createPassedConnections(options: {
  /** Authenticates the agent by its certificate, and serves its connection. */
  readonly receive: (connection: StrayConnection) => Promise<void>;
  readonly log: Logger;
}): StreamAcceptor {
  const { receive, log } = options;
  const sockets = new WebSocketServer(linkServerOptions);
  const senders = new WeakMap<Duplex, Omit<StrayConnection, "webSocket">>();
  // It never listens: each connection is handed to it.
  const server = nodeHttp.createServer();
  server.on("upgrade", (req: IncomingMessage, socket: Duplex, head: Buffer) => {
    const sender = senders.get(socket);
    if (!sender) {
      socket.destroy();
      return;
    }
    sockets.handleUpgrade(req, socket, head, (webSocket) => {
      // Its first message comes at once, and nobody listens before the agent is authenticated.
      webSocket.pause();
      receive({ ...sender, webSocket }).then(
        () => webSocket.resume(),
        (error: unknown) => {
          log.warn({ err: error, remoteAddress: sender.remoteAddress }, "link refused");
          webSocket.terminate();
        },
      );
    });
  });
  return (stream) => {
    const { duplex, handlers, connect } = createStreamDuplex();
    connect(stream);
    duplex.on("error", () => undefined); // the WebSocket's close says the same
    const sender = readSender(stream);
    if (sender === undefined) {
      stream.reset(resetCodes.protocol, "It isn't said whose connection this is.");
      return handlers;
    }
    senders.set(duplex, sender);
    stream.respond({ status: 101, headers: [] });
    server.emit("connection", duplex);
    return handlers;
  };
}

function readSender({ open: { headers } }: LinkStream): Omit<StrayConnection, "webSocket"> | undefined {
  const credential = readCredential(headers);
  return credential && { credential, remoteAddress: readHeader(headers, agentAddressHeader) ?? "" };
}
