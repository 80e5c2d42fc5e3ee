// Live subscriptions from upgrade to end. What is sent is judged by what the caller may see at that moment; a sign-out,
// or a right that is taken away, ends them at once.
import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { inventoryPaths, liveSubprotocol, type ObjectFilter } from "@fairlead/contract";
import { type Clock, type FairleadError, systemClock, toFairleadError } from "@fairlead/kernel";
import { type WebSocket, WebSocketServer } from "ws";
import type { Access, Principal } from "../access/index.ts";
import type { Clusters } from "../clusters/index.ts";
import type { InventoryReader } from "../inventory/index.ts";
import { mayList, type ObjectRequest, type ObjectRow, type ObjectsRoom, type ShownKind } from "../objects/index.ts";
import { refuseUpgrade } from "../server/index.ts";
import type { Logger } from "../telemetry/index.ts";
import { createAges } from "./ages.ts";
import { markOf, parseLiveCursor } from "./cursor.ts";
import { liveRequestInvalid, liveRightsChanged, liveSignedOut, liveTooMany } from "./errors.ts";
import { createFeed } from "./feed.ts";
import { createItemFormatter } from "./item-text.ts";
import { readCredentials } from "./read-credentials.ts";
import { createRechecks, describeScopes, type Watched } from "./rechecks.ts";
import { createShownKinds } from "./shown-kinds.ts";
import { type LiveSocket, type OpenSubscription, type Subscribe, serveSocket } from "./socket.ts";
import { Subscription } from "./subscription.ts";
import { createView } from "./view.ts";

export interface Live extends AsyncDisposable {
  matches(url: string | undefined): boolean;
  handleUpgrade(req: IncomingMessage, socket: Socket, head: Buffer): void;
  readonly counters: { readonly connections: number; readonly subscriptions: number };
}

export interface LiveOptions {
  readonly access: Pick<Access, "authenticate" | "authorize" | "isSignedIn" | "onChanged">;
  readonly inventory: Pick<InventoryReader, "revision" | "onCommitted" | "freshness" | "onFreshnessChanged" | "kinds">;
  readonly objects: Pick<ObjectsRoom, "requests" | "store">;
  readonly clusters: Pick<Clusters, "exists" | "onRevoked">;
  readonly log: Logger;
  readonly clock?: Clock | undefined;
  readonly maxConnections?: number;
}

export function createLive(options: LiveOptions): Live {
  const { access, clusters, inventory, objects, log, clock = systemClock, maxConnections = 2_000 } = options;
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: 64 * 1024,
    perMessageDeflate: false,
    // The one that carries a token is never said back.
    handleProtocols: (offered) => (offered.has(liveSubprotocol) ? liveSubprotocol : false),
  });
  const sockets = new Set<OpenSocket>();
  const onError = (error: unknown): void => log.error({ err: error }, "live changes can't be read");
  const feed = createFeed({ inventory, store: objects.store, clock, onError });
  const ages = createAges({ inventory, clock });
  const formatItem = createItemFormatter(() => clock.now());
  const showKind = createShownKinds();
  const watched = new Set<Watched>();
  const rechecks = createRechecks(watched);
  const stopListening = [
    access.onChanged(recheck),
    clusters.onRevoked(({ cluster }) => {
      if (!clusters.exists(cluster)) rechecks.clusterRemoved(cluster);
    }),
  ];

  return {
    matches: (url) => url?.split("?", 1)[0] === inventoryPaths.live,
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
    try {
      const { protocols, authorization } = readCredentials(req);
      const principal = access.authenticate(authorization);
      if (!protocols.includes(liveSubprotocol)) {
        throw liveRequestInvalid(`the subprotocol ${liveSubprotocol} isn't offered`);
      }
      if (sockets.size >= maxConnections) throw liveTooMany("live connections");
      const own = [...sockets].filter((one) => one.principal.uid === principal.uid);
      if (own.length >= maxConnectionsOfOne) throw liveTooMany("live connections of yours");
      server.handleUpgrade(req, socket, head, (webSocket) => {
        const live = serveSocket({ webSocket, subscribe: createSubscribe(principal), clock });
        const open: OpenSocket = { webSocket, socket: live, principal };
        sockets.add(open);
        void live.closed.then(() => sockets.delete(open));
      });
    } catch (thrown) {
      refuse(socket, toFairleadError(thrown));
    }
  }

  function createSubscribe(principal: Principal): Subscribe {
    return async ({ id, filter, include, cursor, credit = defaultCredit }, to) => {
      const { newest, request } = await readRequest(filter, principal, to.isWanted);
      const places = describeScopes(request.scopes);
      const mark = markOf(places, JSON.stringify(filter), JSON.stringify(request.clusters.map(({ name }) => name)));
      const begun = parseLiveCursor(cursor, { newest, nowMs: clock.now(), mark });
      const shown = new Map<string, ShownKind>(request.kinds.map((info) => [info.kind, showKind(info)]));
      const listClusters = (): string[] => objects.requests.listClusters(filter, { principal }).map(({ name }) => name);
      let listed: ReadonlySet<string> | undefined;
      const view = createView({
        request,
        isOfAnyKind: filter.kind === undefined,
        mayWatch: (cluster, kind, namespace) => mayList({ access, principal, cluster, kind, namespace, verb: "watch" }),
        findKind: (cluster, key) => inventory.kinds(cluster).find(({ kind }) => kind === key) ?? shown.get(key)?.info,
        includesCluster(cluster) {
          // New ones come.
          if (!listed?.has(cluster)) listed = new Set(listClusters());
          return listed.has(cluster);
        },
      });
      const subscription = new Subscription({
        ...{ id, view, credit, newest, mark, store: objects.store, formatItem },
        storeRevision: () => inventory.revision,
        withObject: include === "object",
        revision: begun,
        isReset: cursor !== undefined && begun === undefined,
        now: () => clock.now(),
        shownKind: (row) => findShown(shown, row),
        ...to,
      });
      const { uid, sessionId, tokenId } = principal;
      const place = JSON.stringify([uid, sessionId, tokenId, filter.cluster, filter.clusterSelector]);
      const ageListener = {
        ...{ id, kinds: view.kinds, place, clusters: listClusters },
        // The next ones are as good.
        send: (text: string) => {
          if (to.canSend()) to.send(text);
        },
      };
      const listener = {
        kinds: view.kinds,
        follow: (...args: Parameters<Subscription["follow"]>) => {
          subscription.follow(...args);
          subscription.resume();
        },
      };
      const entry: Watched = {
        reset() {
          listed = undefined;
          view.reset();
        },
        async isSame() {
          const again = await objects.requests.read(filter, { principal, verb: "watch" });
          return describeScopes(again.scopes) === places;
        },
        clusters: new Set(request.clusters.map(({ name }) => name)),
        get isOpen() {
          return watched.has(entry);
        },
        end: () => to.onError(liveRightsChanged()),
      };
      watched.add(entry);
      feed.add(listener);
      ages.add(ageListener);
      return {
        addCredit: (messages) => subscription.addCredit(messages),
        resume: () => subscription.resume(),
        [Symbol.dispose]() {
          watched.delete(entry);
          subscription.close();
          feed.remove(listener);
          ages.remove(ageListener);
        },
      } satisfies OpenSubscription;
    };
  }

  /** With the revision that what comes later is newer than. */
  async function readRequest(
    filter: ObjectFilter,
    principal: Principal,
    isWanted: () => boolean,
  ): Promise<{ readonly newest: number; readonly request: ObjectRequest }> {
    for (;;) {
      const [newest, { epoch }] = [inventory.revision, rechecks];
      const request = await objects.requests.read(filter, { principal, verb: "watch" });
      // Rights that changed meanwhile would be nobody's to notice.
      if (epoch === rechecks.epoch || !isWanted()) return { newest, request };
    }
  }

  function findShown(shown: Map<string, ShownKind>, row: ObjectRow): ShownKind | undefined {
    const known = shown.get(row.kind);
    if (known) return known;
    const info = inventory.kinds(row.cluster).find(({ kind }) => kind === row.kind);
    if (!info) return undefined;
    const kind = showKind(info);
    shown.set(row.kind, kind);
    return kind;
  }

  /** After anything that may have taken rights away. */
  function recheck(): void {
    for (const { socket, principal } of [...sockets]) {
      if (!access.isSignedIn(principal)) socket.end(liveSignedOut());
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
    statusText: STATUS_CODES[httpStatus] ?? "Refused",
    headers: httpStatus === 401 ? ["WWW-Authenticate: Bearer"] : [],
  });
}

const defaultCredit = 16;
const maxConnectionsOfOne = 1_000;
const stopMs = 2_000;
