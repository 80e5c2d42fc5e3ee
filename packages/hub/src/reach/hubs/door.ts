// Lets other hubs in: by a certificate that says which hub it is, signed by the authority that all of them have.
import type { X509Certificate } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { type Clock, toFairleadError } from "@fairlead/kernel";
import {
  acceptLink,
  type BudgetOf,
  type Link,
  type LinkBudget,
  LinkSessions,
  linkServerOptions,
  receiveSocket,
  type StreamAcceptor,
} from "@fairlead/protocol";
import { type WebSocket, WebSocketServer } from "ws";
import type { Pki } from "../../platform/pki/index.ts";
import { makeKnown, readRemoteAddress, refuseUpgrade } from "../../platform/server/index.ts";
import type { Logger } from "../../platform/telemetry/index.ts";
import { hubsErrors } from "./errors.ts";
import { takenForDead } from "./peers.ts";
import type { OtherHub } from "./types.ts";

/** Disposing of it says GOAWAY to the other hubs, and lasts until all that they opened before they knew is answered. */
export interface HubDoor extends AsyncDisposable {
  handleUpgrade(req: IncomingMessage, socket: Socket, head: Buffer): void;
  /**
   * The others that live now: links of those that did and don't any more end, and with them the streams of their people.
   * The connection of a hub that was killed is only cut, and its link would wait for it.
   */
  keep(others: readonly OtherHub[]): void;
}

export function createHubDoor(options: {
  readonly pki: Pick<Pki, "hubOf" | "onChanged">;
  /** True for a hub that is among those of the database. */
  readonly isMember: (hub: string) => Promise<boolean>;
  readonly accept: StreamAcceptor;
  /** Another hub said that this one isn't among those of the database any more. */
  readonly onTakenForDead: (by: string) => void;
  readonly budget: LinkBudget;
  readonly budgetOf: BudgetOf;
  readonly clock: Clock;
  readonly log: Logger;
}): HubDoor {
  const { pki, isMember, accept, onTakenForDead, budget, budgetOf, clock, log } = options;
  const sockets = new WebSocketServer({ ...linkServerOptions, noServer: true });
  const sessions = new LinkSessions();
  const hubs = new Map<Link, string>();
  /** What each connection stands on. */
  const certificates = new Map<WebSocket, X509Certificate>();
  const stopListening = pki.onChanged(async () => cutUntrusted());
  /** A hub that has just joined may have a link before it is listed here. */
  let living: ReadonlySet<string> = new Set();

  return {
    handleUpgrade(req, socket, head) {
      socket.on("error", () => socket.destroy());
      admit(req, socket as TLSSocket).then(
        ({ hub, certificate }) => {
          if (socket.destroyed) return;
          makeKnown(socket);
          sockets.handleUpgrade(req, socket, head, (webSocket) => {
            certificates.set(webSocket, certificate);
            webSocket.once("close", () => certificates.delete(webSocket));
            receive(webSocket, hub);
          });
        },
        (thrown: unknown) => {
          const error = toFairleadError(thrown);
          log.warn({ err: error, remoteAddress: readRemoteAddress(req) }, "nobody is let in at the door of hubs");
          if (!socket.destroyed) refuseUpgrade(socket, error, { statusText: error.code });
        },
      );
    },
    keep(others) {
      const now = new Set(others.map(({ id }) => id));
      const gone = living.difference(now);
      living = now;
      for (const [link, hub] of hubs) if (gone.has(hub)) link.close(takenForDead);
      cutUntrusted();
    },
    async [Symbol.asyncDispose]() {
      stopListening();
      const leave = (link: Link): Promise<void> => link.goAway({ reason: "hub stopped", drainMs: lastWordsMs });
      await Promise.all([...hubs.keys()].map(leave));
    },
  };

  /**
   * When a certificate has ended, or its authority is retired. The link of a hub that has another by now goes on with that
   * before its streams notice; a thief's doesn't.
   */
  function cutUntrusted(): void {
    for (const [webSocket, certificate] of certificates)
      if (pki.hubOf(certificate) === undefined) webSocket.terminate();
  }

  async function admit(
    req: IncomingMessage,
    socket: TLSSocket,
  ): Promise<{ readonly hub: string; readonly certificate: X509Certificate }> {
    const certificate = socket.getPeerX509Certificate();
    const hub = certificate && socket.authorized ? pki.hubOf(certificate) : undefined;
    // A certificate outlives its hub by hours.
    if (req.method !== "GET" || certificate === undefined || hub === undefined || !(await isMember(hub)))
      throw hubsErrors.HUB_CERTIFICATE_REQUIRED();
    return { hub, certificate };
  }

  function receive(socket: WebSocket, hub: string): void {
    receiveSocket({
      socket,
      sessions,
      clock,
      timeoutMs: firstFrameMs,
      onLink(first) {
        const link = acceptLink({ socket, first, sessions, accept, budget, budgetOf, clock, limits: { streams } });
        hubs.set(link, hub);
        void link.closed.then((closed) => {
          hubs.delete(link);
          if (closed.reason === "closed-by-peer" && closed.text === takenForDead) onTakenForDead(hub);
        });
      },
      mayResume: (link) => hubs.get(link) === hub,
      onResumed: () => log.info({ hub }, "the link of another hub goes on"),
      onRefused: (error) => log.info({ hub, err: error }, "the link of another hub isn't resumed"),
      onBroken: (error) => log.warn({ hub, err: error }, "another hub broke the rules"),
    });
  }
}

/**
 * More than all requests that a hub takes at once by default (`--limit-hub-requests`), of which no cluster gets more than
 * its share: a link between hubs is never full because of a few busy clusters.
 */
const streams = 65_536;
const firstFrameMs = 15_000;
/** The last answers of agents get so long to reach the other hubs. */
const lastWordsMs = 1_000;
