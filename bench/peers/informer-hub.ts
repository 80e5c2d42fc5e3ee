// The other end of a forwarding informer: keeps what it is told.
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { WebSocketServer } from "ws";
import { serveParent } from "../harness/forked-peer.ts";

interface Event {
  readonly type: "applied" | "deleted";
  readonly object: { readonly metadata: { readonly uid: string; readonly resourceVersion: string } };
}

const versions = new Map<string, string>();

serveParent({
  async open() {
    const server = new WebSocketServer({ host: "127.0.0.1", port: 0, perMessageDeflate: false });
    server.on("connection", (socket) => {
      socket.on("error", () => undefined);
      socket.on("message", (data) => take(JSON.parse(String(data)) as Event));
    });
    await once(server, "listening");
    return (server.address() as AddressInfo).port;
  },
  /** Resource versions by uid. */
  versions: () => versions,
});

function take({ type, object: { metadata } }: Event): void {
  if (type === "deleted") versions.delete(metadata.uid);
  else versions.set(metadata.uid, metadata.resourceVersion);
}
