// A socket that an agent has opened is for a new link, or for one that goes on with it after a cut. A link belongs to the
// cluster, roles and key that it was opened with. Nobody else can take it over, whatever they know.
import type { Clock, FairleadError } from "@fairlead/kernel";
import { type FirstMessage, type LinkLimits, LinkSessions, receiveSocket, socketErrors } from "@fairlead/protocol";
import type { WebSocket } from "ws";
import type { Logger } from "../../platform/telemetry/index.ts";
import type { AgentIdentity } from "../identity/index.ts";
import type { LinkRecord } from "./record.ts";
import type { LinkRegistry } from "./registry.ts";
import { isSameKind } from "./same-agent.ts";
import type { Credential } from "./types.ts";

export interface ArrivalsOptions {
  readonly registry: LinkRegistry;
  readonly clock: Clock;
  readonly log: Logger;
  readonly limits?: Partial<LinkLimits> | undefined;
  /** The limit for the first frame. */
  readonly timeoutMs: number;
  readonly isStopping: () => boolean;
  /** Called for a socket that was let in. */
  readonly onSocket: (arrival: Arrival) => void;
  readonly onLink: (arrival: Arrival, first: FirstMessage) => void;
  readonly onResumed: (record: LinkRecord, arrival: Arrival) => void;
  /** For a link that this hub doesn't have. True when another hub serves the socket from now on. */
  readonly passOn: (arrival: Arrival, session: string, first: FirstMessage) => boolean;
  readonly countError: (error: FairleadError) => void;
  /** Adds an alarm to the cluster's events. */
  readonly raise: (cluster: string, message: string) => void;
}

export interface Arrival {
  readonly webSocket: WebSocket;
  readonly peer: AgentIdentity;
  readonly remoteAddress: string;
  readonly credential: Credential;
  /** It came to another hub, which passed it on. */
  readonly isPassedOn: boolean;
}

export interface Arrivals extends Disposable {
  readonly sessions: LinkSessions;
  receive(arrival: Arrival): void;
  /** True when too many sockets of the peer's kind haven't sent their first frame yet. */
  isCrowded(peer: AgentIdentity): boolean;
  /** A hub that stops still lets those in whose links are draining. */
  hasLinkOf(peer: AgentIdentity): boolean;
  /** Lets go of sockets that were let in and haven't sent their first frame yet. */
  turnAway(isMeant: (peer: AgentIdentity) => boolean): void;
}

export function createArrivals(options: ArrivalsOptions): Arrivals {
  const { registry, clock, log, limits, timeoutMs, isStopping, onSocket, onLink, onResumed, countError, raise } =
    options;
  const sessions = new LinkSessions();
  const undecided = new Map<WebSocket, AgentIdentity>();
  const lastRaisedAt = new Map<string, number>();

  return {
    sessions,
    [Symbol.dispose]: () => turnAway(() => true),
    turnAway,
    isCrowded: (peer) => [...undecided.values()].filter((other) => isSameKind(other, peer)).length >= mostUndecided,
    hasLinkOf: (peer) => registry.own(peer.cluster).some((record) => isOwner(record, peer)),
    receive(arrival) {
      const { webSocket, peer, remoteAddress } = arrival;
      const { cluster } = peer;
      onSocket(arrival);
      const decide = (): void => void undecided.delete(webSocket);
      undecided.set(webSocket, peer);
      webSocket.once("close", decide);
      receiveSocket({
        socket: webSocket,
        sessions,
        clock,
        limits,
        timeoutMs,
        // A link that begins on a connection from another hub would be relayed for all its life.
        mayBegin: !arrival.isPassedOn,
        onLink(first) {
          decide();
          if (isStopping()) webSocket.close(1001, "hub is stopping");
          else onLink(arrival, first);
        },
        mayResume(link) {
          const record = registry.find(link);
          return record !== undefined && isOwner(record, peer);
        },
        onResumed(link) {
          decide();
          const record = registry.find(link);
          if (record) onResumed(record, arrival);
        },
        passOn(session, first) {
          if (arrival.isPassedOn || !options.passOn(arrival, session, first)) return false;
          decide();
          return true;
        },
        onJoined(link) {
          decide();
          log.debug({ linkId: registry.find(link)?.id, cluster }, "agent link has a lane for bulk");
        },
        onRefused(error) {
          countError(error);
          if (socketErrors.is(error, "LINK_SESSION_UNKNOWN")) {
            // After a hub's start all agents ask for links that it doesn't know.
            log.info({ code: error.code, cluster, remoteAddress }, "link not resumed");
            return;
          }
          log.warn({ err: error, cluster, remoteAddress }, "link not resumed");
          if (socketErrors.is(error, "LINK_RESUME_FOREIGN")) raiseOnce(cluster, remoteAddress);
        },
        onBroken(error) {
          countError(error);
          log.info({ cluster, remoteAddress, reason: "violation", err: error }, "agent link closed");
        },
      });
    },
  };

  function turnAway(isMeant: (peer: AgentIdentity) => boolean): void {
    for (const [webSocket, peer] of undecided) if (isMeant(peer)) webSocket.terminate();
  }

  /** An alarm now and then is enough to be seen. Many must not fill the store. */
  function raiseOnce(cluster: string, remoteAddress: string): void {
    const now = clock.steadyMs();
    if (now - (lastRaisedAt.get(cluster) ?? Number.NEGATIVE_INFINITY) < raiseEveryMs) return;
    lastRaisedAt.set(cluster, now);
    raise(cluster, `An agent with this cluster's certificate asked for another agent's link, from ${remoteAddress}.`);
  }
}

function isOwner(record: LinkRecord, peer: AgentIdentity): boolean {
  return isSameKind(record, peer) && record.keyThumbprints.has(peer.keyThumbprint);
}

const raiseEveryMs = 60_000;
const mostUndecided = 64;
