// Subscribes to one kind at the hub, once or a thousand times, each on a connection of its own, and reads all that comes.
import { once } from "node:events";
import { WebSocket } from "ws";
import { createArrivals } from "../harness/arrivals.ts";
import { serveParent } from "../harness/forked-peer.ts";
import { throughGate } from "../harness/gate.ts";
import { changeAnnotation } from "../inventory/objects.ts";

interface Item {
  readonly object?: { readonly metadata: { readonly annotations?: Record<string, string> } };
}

interface Message {
  readonly type: string;
  readonly items?: readonly Item[];
  readonly message?: string;
}

const arrivals = createArrivals();
const sockets: WebSocket[] = [];
let received = 0;

serveParent({
  /** Resolves when each has all that there is. */
  async open(options: {
    url: string;
    caPem: string;
    token: string;
    filter: object;
    count: number;
    withObject: boolean;
  }) {
    const { count } = options;
    sockets.push(...(await Promise.all(Array.from({ length: count }, () => throughGate(() => subscribe(options))))));
  },
  take: () => arrivals.take(),
  /** Messages with items, of all together. */
  received: () => received,
  close() {
    for (const socket of sockets.splice(0)) socket.terminate();
  },
});

async function subscribe(options: {
  url: string;
  caPem: string;
  token: string;
  filter: object;
  withObject: boolean;
}): Promise<WebSocket> {
  const { url, caPem, token, filter, withObject } = options;
  const socket = new WebSocket(`${url.replace("https:", "wss:")}/api/v1/live`, "fairlead.live.v1", {
    ca: caPem,
    headers: { authorization: `Bearer ${token}` },
    perMessageDeflate: false,
  });
  await once(socket, "open");
  const synced = new Promise<void>((resolve, reject) => {
    socket.on("message", (data) => {
      const message = JSON.parse(String(data)) as Message;
      if (message.type === "synced") return resolve();
      if (message.type === "error") return reject(new Error(message.message));
      if (message.type !== "items" && message.type !== "removed") return;
      socket.send(JSON.stringify({ type: "credit", id: "bench", add: 1 }));
      received += 1;
      for (const { object } of message.items ?? []) arrivals.note(object?.metadata.annotations?.[changeAnnotation]);
    });
    socket.on("close", () => reject(new Error("the hub closed a live connection")));
    socket.on("error", reject);
  });
  socket.send(
    JSON.stringify({ type: "subscribe", id: "bench", filter, credit: 64, ...(withObject && { include: "object" }) }),
  );
  await synced;
  synced.catch(() => undefined);
  return socket;
}
