// A model hub behind a real link on loopback, and a cluster in memory as a feed.

import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { untilAbort } from "@fairlead/kernel";
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
  /** Refuses the next calls. */
  refusal: Error | undefined;
  /** Nothing is answered. */
  isSilent: boolean;
  dial(): Promise<Link>;
}

export async function startHubOverLink(store: ModelStore, maxUnackedBytes: number): Promise<HubOverLink> {
  const http = createServer();
  const server = new WebSocketServer(linkServerOptions);
  const calls: ModelCall[] = [];
  const sockets = new Set<WebSocket>();
  const hub = { calls, refusal: undefined as Error | undefined, isSilent: false, dial, [Symbol.asyncDispose]: dispose };
  const accept = createRpcAcceptor({
    routes: (router) =>
      router.service(InventoryService, {
        async *sync(requests: AsyncIterable<SyncRequest>) {
          if (hub.refusal) throw hub.refusal;
          const call = new ModelCall(store, maxUnackedBytes);
          calls.push(call);
          for await (const request of requests)
            for (const message of hub.isSilent ? [] : call.take(request))
              yield { message } as { message: { case: undefined } };
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

/** Tells what it is told, and answers what is asked for again. */
export class MemoryFeed implements ObservedFeed {
  /** Key of a kind -> uid -> object. */
  readonly objects: ReadonlyMap<string, Map<string, ObservedObject>>;
  readonly fetcher: ObservedFeed["fetcher"];
  handler: ObserveHandler | undefined;
  fetched = 0;
  readonly #kinds: readonly ObservedKind[];

  constructor(kinds: readonly ObservedKind[]) {
    this.#kinds = kinds;
    this.objects = new Map(kinds.map(({ key }) => [key, new Map()]));
    const feed = this;
    this.fetcher = {
      async *fetch(key, refs) {
        for (const { uid } of refs) {
          feed.fetched++;
          yield feed.of(key).get(uid) ?? { uid, gone: true as const };
        }
      },
    };
  }

  of(key: string): Map<string, ObservedObject> {
    return this.objects.get(key) ?? new Map();
  }

  isSynced(): boolean {
    return true;
  }

  async run(handler: ObserveHandler, signal: AbortSignal): Promise<void> {
    this.handler = handler;
    for (const kind of this.#kinds) handler.onKind(kind);
    handler.onKindsComplete();
    for (const { key } of this.#kinds) {
      handler.onListStart(key);
      for (const object of [...this.of(key).values()]) await handler.onObject(key, object);
      await handler.onListed(key);
    }
    await untilAbort(signal);
  }

  apply(key: string, object: ObservedObject): void {
    this.of(key).set(object.uid, object);
    void this.handler?.onApplied(key, object);
  }

  delete(key: string, uid: string): void {
    this.of(key).delete(uid);
    void this.handler?.onDeleted(key, uid);
  }
}

async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}
