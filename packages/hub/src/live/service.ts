// Live subscriptions from upgrade to end. What is sent is judged by what the caller may see at that moment; a sign-out,
// or a right that is taken away, ends them at once.
import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { inventoryPaths, liveSubprotocol } from "@fairlead/contract";
import { type Clock, type FairleadError, systemClock, toFairleadError, toProblem } from "@fairlead/kernel";
import { type WebSocket, WebSocketServer } from "ws";
import type { Access, Principal } from "../access/index.ts";
import type { InventoryReader } from "../inventory/index.ts";
import {
  type KindScope,
  mayList,
  type ObjectRow,
  type ObjectsRoom,
  type ShownKind,
  toShownKind,
} from "../objects/index.ts";
import { endSoon } from "../server/index.ts";
import type { Logger } from "../telemetry/index.ts";
import { createAges } from "./ages.ts";
import { parseLiveCursor } from "./cursor.ts";
import { liveRequestInvalid, liveRightsChanged, liveSignedOut, liveTooMany } from "./errors.ts";
import { createFeed } from "./feed.ts";
import { createItemFormatter } from "./item-text.ts";
import { readCredentials } from "./read-credentials.ts";
import { type LiveSocket, type OpenSubscription, type Subscribe, serveSocket } from "./socket.ts";
import { Subscription } from "./subscription.ts";
import { createView, type View } from "./view.ts";

export interface Live extends AsyncDisposable {
  matches(url: string | undefined): boolean;
  handleUpgrade(req: IncomingMessage, socket: Socket, head: Buffer): void;
  readonly counters: { readonly connections: number; readonly subscriptions: number };
}

export interface LiveOptions {
  readonly access: Pick<Access, "authenticate" | "authorize" | "isSignedIn" | "onChanged">;
  readonly inventory: Pick<InventoryReader, "revision" | "onCommitted" | "freshness" | "onFreshnessChanged" | "kinds">;
  readonly objects: Pick<ObjectsRoom, "requests" | "store">;
  readonly log: Logger;
  readonly clock?: Clock | undefined;
  readonly maxConnections?: number;
}

export function createLive(options: LiveOptions): Live {
  const { access, inventory, objects, log, clock = systemClock, maxConnections = 2_000 } = options;
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
  const stopListening = access.onChanged(() => void recheck());
  let subscriptions = 0;

  return {
    matches: (url) => url?.split("?", 1)[0] === inventoryPaths.live,
    handleUpgrade,
    counters: {
      get connections() {
        return sockets.size;
      },
      get subscriptions() {
        return subscriptions;
      },
    },
    async [Symbol.asyncDispose]() {
      stopListening();
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
        const watched = new Map<string, Watched>();
        const live = serveSocket({ webSocket, subscribe: createSubscribe(principal, watched), clock });
        const open: OpenSocket = { webSocket, socket: live, principal, watched };
        sockets.add(open);
        void live.closed.then(() => sockets.delete(open));
      });
    } catch (thrown) {
      refuse(socket, toFairleadError(thrown));
    }
  }

  function createSubscribe(principal: Principal, watched: OpenSocket["watched"]): Subscribe {
    return async ({ id, filter, include, cursor, credit = defaultCredit }, to) => {
      const newest = inventory.revision;
      const request = await objects.requests.read(filter, { principal, verb: "watch" });
      const begun = parseLiveCursor(cursor, { newest, nowMs: clock.now() });
      const shown = new Map<string, ShownKind>(request.kinds.map((info) => [info.kind, toShownKind(info)]));
      const view = createView({
        request,
        isOfAnyKind: filter.kind === undefined,
        mayWatch: (cluster, kind, namespace) =>
          mayList({ access, principal, cluster, kind, namespace, verb: "watch" }) ||
          mayList({ access, principal, cluster, kind, namespace: "", verb: "watch" }),
        // Objects of a kind that isn't there any more are gone for those who saw them.
        findKind: (cluster, key) => inventory.kinds(cluster).find(({ kind }) => kind === key) ?? shown.get(key)?.info,
        includesCluster: (cluster) => listed().has(cluster),
      });
      const listed = (): Set<string> =>
        new Set(objects.requests.listClusters(filter, { principal }).map(({ name }) => name));
      const subscription = new Subscription({
        ...{ id, view, credit, newest, store: objects.store, formatItem },
        withObject: include === "object",
        revision: begun,
        isReset: cursor !== undefined && begun === undefined,
        now: () => clock.now(),
        shownKind: (row) => findShown(shown, row),
        ...to,
      });
      const { uid, sessionId, tokenId } = principal;
      const place = JSON.stringify([uid, sessionId, tokenId, filter.cluster, filter.clusterSelector]);
      const ageListener = { id, kinds: view.kinds, place, clusters: () => [...listed()], send: to.send };
      const listener = {
        kinds: view.kinds,
        follow: (...args: Parameters<Subscription["follow"]>) => {
          subscription.follow(...args);
          subscription.resume();
        },
      };
      const places = describeScopes(request.scopes);
      const isSame = async (): Promise<boolean> => {
        const again = await objects.requests.read(filter, { principal, verb: "watch" });
        return describeScopes(again.scopes) === places;
      };
      watched.set(id, { view, isSame });
      feed.add(listener);
      ages.add(ageListener);
      subscriptions += 1;
      return {
        addCredit: (messages) => subscription.addCredit(messages),
        resume: () => subscription.resume(),
        [Symbol.dispose]() {
          subscriptions -= 1;
          watched.delete(id);
          subscription.close();
          feed.remove(listener);
          ages.remove(ageListener);
        },
      } satisfies OpenSubscription;
    };
  }

  function findShown(shown: Map<string, ShownKind>, row: ObjectRow): ShownKind | undefined {
    const known = shown.get(row.kind);
    if (known) return known;
    const info = inventory.kinds(row.cluster).find(({ kind }) => kind === row.kind);
    if (!info) return undefined;
    const kind = toShownKind(info);
    shown.set(row.kind, kind);
    return kind;
  }

  /** After anything that may have taken rights away. */
  async function recheck(): Promise<void> {
    for (const { socket, principal, watched } of sockets) {
      if (!access.isSignedIn(principal)) socket.end(liveSignedOut());
      for (const { view } of watched.values()) view.reset();
    }
    for (const { socket, watched } of [...sockets]) {
      for (const [id, { isSame }] of [...watched]) {
        if (!(await isSame().catch(() => false))) socket.fail(id, liveRightsChanged());
      }
    }
  }
}

interface OpenSocket {
  readonly webSocket: WebSocket;
  readonly socket: LiveSocket;
  readonly principal: Principal;
  /** By the ids of its subscriptions. */
  readonly watched: Map<string, Watched>;
}

interface Watched {
  readonly view: View;
  /** The caller may still see what they could when it began. */
  readonly isSame: () => Promise<boolean>;
}

function describeScopes(scopes: readonly KindScope[]): string {
  return JSON.stringify(scopes.map(({ kind, clusters, namespaces }) => [kind.kind, clusters, [...namespaces]]));
}

function refuse(socket: Socket, error: FairleadError): void {
  const body = JSON.stringify(toProblem(error));
  const challenge = error.httpStatus === 401 ? "WWW-Authenticate: Bearer\r\n" : "";
  endSoon(
    socket,
    `HTTP/1.1 ${error.httpStatus} ${STATUS_CODES[error.httpStatus] ?? "Refused"}\r\nConnection: close\r\n${challenge}` +
      `Content-Type: application/problem+json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

const defaultCredit = 16;
const maxConnectionsOfOne = 1_000;
const stopMs = 2_000;
