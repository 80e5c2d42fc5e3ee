// A model hub behind a real link on loopback, and a cluster in memory as a feed.
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import {
  acceptLink,
  attachLink,
  createRpcAcceptor,
  InventoryService,
  type Link,
  linkPath,
  linkServerOptions,
  linkSocketOptions,
  linkSubprotocol,
  type SyncRequest,
} from "@fairlead/protocol";
import { WebSocket, WebSocketServer } from "ws";
import type { ObservedFeed, ObservedKind, ObservedObject, ObserveHandler } from "../observe/index.ts";
import { ModelCall, type ModelStore } from "./model-hub.fixture.ts";

export interface HubOverLink extends AsyncDisposable {
  readonly calls: ModelCall[];
  /** Requests that the next calls are refused with. */
  refusal: Error | undefined;
  dial(): Promise<Link>;
}

export async function startHubOverLink(store: ModelStore, maxUnackedBytes: number): Promise<HubOverLink> {
  const http = createServer();
  const server = new WebSocketServer(linkServerOptions);
  const calls: ModelCall[] = [];
  const sockets = new Set<WebSocket>();
  const hub = { calls, refusal: undefined as Error | undefined, dial, [Symbol.asyncDispose]: dispose };
  const accept = createRpcAcceptor({
    routes: (router) =>
      router.service(InventoryService, {
        async *sync(requests: AsyncIterable<SyncRequest>) {
          if (hub.refusal) throw hub.refusal;
          const call = new ModelCall(store, maxUnackedBytes);
          calls.push(call);
          for await (const request of requests)
            for (const message of call.take(request)) yield { message } as { message: { case: undefined } };
        },
      }),
  });
  http.on("upgrade", (request, socket, head) => {
    server.handleUpgrade(request, socket, head, (webSocket) => {
      sockets.add(webSocket);
      acceptLink({ socket: webSocket, accept });
    });
  });
  const port = await listen(http);
  return hub;

  async function dial(): Promise<Link> {
    const socket = new WebSocket(`ws://127.0.0.1:${port}${linkPath}`, linkSubprotocol, linkSocketOptions);
    await once(socket, "open");
    return attachLink({
      socket,
      accept: () => {
        throw new Error("nothing is served here");
      },
    });
  }

  async function dispose(): Promise<void> {
    for (const socket of sockets) socket.terminate();
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  }
}

/** Tells of one kind what it is told, and answers what is asked for again. */
export class MemoryFeed implements ObservedFeed {
  readonly objects: Map<string, ObservedObject> = new Map();
  readonly kind: ObservedKind;
  handler: ObserveHandler | undefined;
  fetched = 0;
  readonly fetcher: ObservedFeed["fetcher"];

  constructor(kind: ObservedKind) {
    this.kind = kind;
    const feed = this;
    this.fetcher = {
      async *fetch(_key, refs) {
        for (const { uid } of refs) {
          feed.fetched++;
          yield feed.objects.get(uid) ?? { uid, gone: true as const };
        }
      },
    };
  }

  isSynced(): boolean {
    return true;
  }

  async run(handler: ObserveHandler, signal: AbortSignal): Promise<void> {
    this.handler = handler;
    const { key } = this.kind;
    handler.onKind(this.kind);
    handler.onKindsComplete();
    handler.onListStart(key);
    for (const object of [...this.objects.values()]) await handler.onObject(key, object);
    handler.onListed(key);
    if (!signal.aborted) await once(signal, "abort");
  }

  apply(object: ObservedObject): void {
    this.objects.set(object.uid, object);
    void this.handler?.onApplied(this.kind.key, object);
  }

  delete(uid: string): void {
    this.objects.delete(uid);
    this.handler?.onDeleted(this.kind.key, uid);
  }
}

async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}
