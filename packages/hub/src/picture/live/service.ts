// Live connections from upgrade to end. A sign-out, or a right that is taken away, ends what it was for at once.

import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { livePath, liveSubprotocol, type RunSubscribeRequest } from "@fairlead/contract";
import { type Clock, type FairleadError, systemClock, toFairleadError } from "@fairlead/kernel";
import { nodeHttp } from "@fairlead/protocol";
import { type WebSocket, WebSocketServer } from "ws";
import type { Access, Principal } from "../../people/access/index.ts";
import { refuseUpgrade } from "../../platform/server/index.ts";
import type { Logger } from "../../platform/telemetry/index.ts";
import type { Clusters } from "../../reach/clusters/index.ts";
import type { InventoryReader } from "../inventory/index.ts";
import type { ObjectsRoom } from "../objects/index.ts";
import { createAges } from "./ages.ts";
import { liveErrors } from "./errors.ts";
import { createObjectFeed } from "./feed.ts";
import { readCredentials } from "./read-credentials.ts";
import { createRechecks, type Watched } from "./rechecks.ts";
import { type LiveSocket, liveSocketOptions, type Subscribe, serveSocket } from "./socket.ts";
import { createSubscribe } from "./subscribe.ts";

export interface Live extends AsyncDisposable {
  matches(req: Pick<IncomingMessage, "url">): boolean;
  handleUpgrade(req: IncomingMessage, socket: Socket, head: Buffer): void;
  readonly counters: { readonly connections: number; readonly subscriptions: number };
}

export type SubscribeToRuns = (principal: Principal) => Subscribe<RunSubscribeRequest>;

export interface LiveOptions {
  readonly access: Pick<Access, "authenticate" | "authorize" | "isSignedIn" | "onChanged">;
  readonly inventory: Pick<
    InventoryReader,
    "revision" | "catchUp" | "history" | "onHistoryLost" | "onCommitted" | "freshness" | "onFreshnessChanged" | "kinds"
  >;
  readonly objects: Pick<ObjectsRoom, "requests" | "store" | "storeFor">;
  readonly clusters: Pick<Clusters, "exists" | "onRevoked">;
  /** Made by a later wing. Called for the first time when everything is open. */
  readonly subscribeToRuns: SubscribeToRuns;
  readonly log: Logger;
  readonly clock?: Clock | undefined;
  readonly maxConnections?: number;
}

export function createLive(options: LiveOptions): Live {
  const { access, clusters, inventory, objects, log, clock = systemClock, maxConnections = 2_000 } = options;
  const server = new WebSocketServer({
    ...liveSocketOptions,
    noServer: true,
  });
  const sockets = new Set<OpenSocket>();
  const onError = (error: unknown): void => log.error({ err: error }, "live changes can't be read");
  const feed = createObjectFeed({ inventory, store: objects.store, clock, onError });
  const ages = createAges({ inventory, clock });
  const watched = new Set<Watched>();
  const rechecks = createRechecks(watched);
  const subscribeToObjects = createSubscribe({ access, inventory, objects, clock, feed, ages, watched, rechecks });
  const stopListening = [
    access.onChanged(recheck),
    clusters.onRevoked(({ cluster }) => {
      if (!clusters.exists(cluster)) rechecks.clusterRemoved(cluster);
    }),
    inventory.onHistoryLost(() => {
      rechecks.historyLost();
      feed.reset();
    }),
  ];

  return {
    matches: ({ url }) => url?.split("?", 1)[0] === livePath,
    handleUpgrade,
    counters: {
      get connections() {
        return sockets.size;
      },
      get subscriptions() {
        return watched.size;
      },
    },
    async [Symbol.asyncDispose]() {
      for (const stop of stopListening) stop();
      feed[Symbol.dispose]();
      ages[Symbol.dispose]();
      for (const { webSocket } of sockets) webSocket.close(1001, "hub stops");
      await Promise.race([
        Promise.all([...sockets].map(({ socket }) => socket.closed)),
        new Promise<void>((resolve) => clock.after(stopMs, resolve)),
      ]);
      for (const { webSocket } of sockets) webSocket.terminate();
    },
  };

  function handleUpgrade(req: IncomingMessage, socket: Socket, head: Buffer): void {
    socket.on("error", () => socket.destroy());
    accept(req, socket, head).catch((thrown: unknown) => refuse(socket, toFairleadError(thrown)));
  }

  async function accept(req: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    const { protocols, authorization } = readCredentials(req);
    const principal = await access.authenticate(authorization);
    if (!protocols.includes(liveSubprotocol)) {
      throw liveErrors.LIVE_REQUEST_INVALID({ problem: `the subprotocol ${liveSubprotocol} isn't offered` });
    }
    if (sockets.size >= maxConnections) throw liveErrors.LIVE_TOO_MANY({ what: "live connections" });
    const own = [...sockets].filter((one) => one.principal.uid === principal.uid);
    if (own.length >= maxConnectionsOfUser) throw liveErrors.LIVE_TOO_MANY({ what: "live connections of yours" });
    server.handleUpgrade(req, socket, head, (webSocket) => {
      const [toObjects, toRuns] = [subscribeToObjects(principal), options.subscribeToRuns(principal)];
      const subscribe: Subscribe = (request, to) =>
        request.type === "subscribe" ? toObjects(request, to) : toRuns(request, to);
      const live = serveSocket({ webSocket, subscribe, clock });
      const open: OpenSocket = { webSocket, socket: live, principal };
      sockets.add(open);
      void live.closed.then(() => sockets.delete(open));
    });
  }

  /** After anything that may have taken rights away. */
  function recheck(): void {
    for (const { socket, principal } of [...sockets]) {
      if (!access.isSignedIn(principal)) socket.end(liveErrors.LIVE_SIGNED_OUT());
    }
    rechecks.rightsChanged();
  }
}

interface OpenSocket {
  readonly webSocket: WebSocket;
  readonly socket: LiveSocket;
  readonly principal: Principal;
}

function refuse(socket: Socket, error: FairleadError): void {
  const { httpStatus } = error;
  refuseUpgrade(socket, error, {
    statusText: nodeHttp.STATUS_CODES[httpStatus] ?? "Refused",
    headers: httpStatus === 401 ? ["WWW-Authenticate: Bearer"] : [],
  });
}

/** A connection carries many subscriptions. */
const maxConnectionsOfUser = 100;
const stopMs = 2_000;
