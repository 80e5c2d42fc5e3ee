// Links from upgrade to end: authenticate, accept, keep in the registry, cut when the identity no longer holds.
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { type Clock, createId, type FairleadError, systemClock, toFairleadError } from "@fairlead/kernel";
import {
  acceptLink,
  closeCodes,
  createRpcAcceptor,
  type FirstMessage,
  type GoAway,
  type Link,
  type LinkBudget,
  type LinkClosed,
  type LinkLimits,
  linkPath,
  linkServerOptions,
} from "@fairlead/protocol";
import { type WebSocket, WebSocketServer } from "ws";
import { makeKnown, readRemoteAddress } from "../../platform/server/index.ts";
import type { LinkTotals, Logger } from "../../platform/telemetry/index.ts";
import type { Clusters } from "../clusters/index.ts";
import type { AgentIdentity, Identity } from "../identity/index.ts";
import type { MeshIdentity, RefusedAttempt } from "../mesh/index.ts";
import { agentLimits, createAllowances } from "./allowances.ts";
import { type Arrival, createArrivals } from "./arrivals.ts";
import { linksErrors, tooManyLinks } from "./errors.ts";
import type { LinkEvent } from "./link-stage.ts";
import { authenticateLink, refuseLink } from "./peer.ts";
import type { LinkProofs } from "./proofs.ts";
import { LinkRecord } from "./record.ts";
import type { LinkRegistry } from "./registry.ts";
import { type AddServices, createLinkRoutes, type HubFacts } from "./rpc.ts";
import { isSameIdentity } from "./same-agent.ts";
import { findSurplus, makeRoom } from "./surplus.ts";
import { createPastLinks } from "./totals.ts";
import type { Credential, HelloFacts, LiveLink } from "./types.ts";

export interface LinkServiceOptions {
  readonly registry: LinkRegistry;
  readonly identity: Pick<Identity, "authenticatePeer" | "renew" | "confirm" | "onRevoked">;
  readonly clusters: Pick<Clusters, "recordHello" | "refusal" | "recordDisconnect" | "recordEvent" | "onReplaced">;
  readonly hub: HubFacts;
  /** Typed calls of agents that other rooms answer. */
  readonly addServices?: AddServices | undefined;
  /** Vouches for agents; nothing else does then. */
  readonly mesh?: MeshIdentity | undefined;
  /** Nobody was let in for this request. */
  readonly onRefused?: ((attempt: RefusedAttempt) => void) | undefined;
  /** Lets agents in whose certificate doesn't arrive with their connection. Without it they aren't let in. */
  readonly proofs?: LinkProofs | undefined;
  /** An agent has introduced itself. */
  readonly onGreeted?: ((link: LiveLink) => void) | undefined;
  readonly budget: LinkBudget;
  readonly log: Logger;
  readonly limits?: Partial<LinkLimits>;
  /** Calls that agents of a cluster may have open beyond what every cluster's may. */
  readonly moreCalls?: ((cluster: string) => number) | undefined;
  readonly helloTimeoutMs?: number;
  readonly clock?: Clock;
  readonly random?: () => number;
}

/** An agent's connection that came to one hub and is for a link of another. */
export interface StrayConnection {
  readonly webSocket: WebSocket;
  readonly credential: Credential;
  readonly remoteAddress: string;
}

export interface MovedAgent {
  readonly cluster: string;
  readonly agentInstanceId: string;
  readonly keyThumbprint: string;
}

/** Gives a connection whose link another hub has to that hub; false when none has it. */
export type PassOn = (connection: StrayConnection, session: string, first: FirstMessage) => boolean;

export interface LinkService extends Disposable {
  /** Without it a connection for a link of another hub is refused. */
  passStraysTo(passOn: PassOn): void;
  handleUpgrade(req: IncomingMessage, socket: Socket, head: Buffer): void;
  /** Serves an agent's connection that came to another hub. Rejects when its certificate doesn't count. */
  receivePassedOn(connection: StrayConnection): Promise<void>;
  /** The share of this hub's memory for a cluster's data on its way, over all links. */
  budgetOf(cluster: string): LinkBudget;
  /** The session by which the link can be gone on with; undefined until it has greeted. */
  sessionOf(link: Link): string | undefined;
  /** The agent has a link to another hub: one of its links here that waits for a connection waits for nothing. */
  endLeftBehind(agent: MovedAgent): void;
  /** Says GOAWAY on all links: each agent begins its next link, perhaps at another hub, and leaves this one then. */
  sendAllAway(reason: string): void;
  /** Says GOAWAY on all links and takes no new ones; resolves when the last is closed. */
  drain(message: GoAway): Promise<void>;
  pastLinks(): LinkTotals;
  readonly errorsByCode: ReadonlyMap<string, number>;
}

export function createLinkService(options: LinkServiceOptions): LinkService {
  const {
    registry,
    identity,
    proofs,
    mesh,
    clusters,
    hub,
    log,
    helloTimeoutMs = 15_000,
    clock = systemClock,
  } = options;
  const { random = Math.random } = options;
  const limits = { ...agentLimits, ...options.limits };
  const allowances = createAllowances({ budget: options.budget, moreCalls: options.moreCalls, clock });
  const sockets = new WebSocketServer({ ...linkServerOptions, noServer: true });
  const past = createPastLinks();
  const errorsByCode = new Map<string, number>();
  let isStopping = false;
  let passStray: PassOn = () => false;
  const arrivals = createArrivals({
    registry,
    clock,
    log,
    limits,
    timeoutMs: helloTimeoutMs,
    countError,
    isStopping: () => isStopping,
    onSocket: ({ peer, webSocket }) => allowances.of(peer.cluster).turns.watch(webSocket),
    onLink: accept,
    onResumed: goOn,
    passOn: (arrival, session, first) => passStray(arrival, session, first),
    raise: (cluster, message) => {
      clusters.recordEvent(cluster, { type: "link-misused", level: "alarm", message }).catch((error: unknown) => {
        log.warn({ err: error, cluster }, "can't record that a link was misused");
      });
    },
  });

  const stopListening = identity.onRevoked(({ cluster, roles }) => {
    const isHit = (peer: Pick<LinkRecord, "cluster" | "roles">): boolean =>
      peer.cluster === cluster && (roles === undefined || peer.roles.some((role) => roles.includes(role)));
    for (const record of registry.own(cluster)) if (isHit(record)) record.link.close("identity revoked");
    // Sockets that were let in before the revocation and begin a link only now.
    arrivals.turnAway(isHit);
  });

  const stopJudging = clusters.onReplaced(({ cluster }) => {
    for (const record of registry.own(cluster)) {
      if (record.hello) judge(record, record.hello, { ownStreams: 0 });
    }
  });

  return {
    handleUpgrade: (req, socket, head) => void upgrade(req, socket as TLSSocket, head),
    passStraysTo(passOn) {
      passStray = passOn;
    },
    receivePassedOn,
    budgetOf: (cluster) => allowances.of(cluster).budget,
    sessionOf: (link) => arrivals.sessions.nameOf(link),
    endLeftBehind,
    sendAllAway(reason) {
      for (const record of registry.list()) sendAway(record, { reason, drainMs: sentAwayMs });
    },
    drain,
    pastLinks: past.read,
    errorsByCode,
    [Symbol.dispose]() {
      isStopping = true;
      stopListening();
      stopJudging();
      arrivals[Symbol.dispose]();
      for (const record of registry.list()) record.link.close("hub stopped");
    },
  };

  async function upgrade(req: IncomingMessage, socket: TLSSocket, head: Buffer): Promise<void> {
    socket.on("error", () => socket.destroy());
    // Read here: a listener that knew the request would keep it for as long as the link.
    const remoteAddress = readRemoteAddress(req);
    try {
      const { authenticatePeer } = identity;
      const { peer, credential } = await authenticateLink(req, socket, { authenticatePeer, proofs, mesh });
      if (socket.destroyed) return;
      if (isStopping && !arrivals.hasLinkOf(peer)) throw linksErrors.LINK_HUB_STOPPING();
      if (arrivals.isCrowded(peer)) throw tooManyLinks(peer);
      makeKnown(socket);
      sockets.handleUpgrade(req, socket, head, (webSocket) => {
        arrivals.receive({ webSocket, peer, remoteAddress, credential, isPassedOn: false });
      });
    } catch (thrown) {
      const error = toFairleadError(thrown);
      countError(error);
      log.warn({ err: error, remoteAddress }, "link refused");
      options.onRefused?.({ req, remoteAddress, path: linkPath, error });
      refuseLink(socket, error);
    }
  }

  async function receivePassedOn(connection: StrayConnection): Promise<void> {
    const peer = await authenticateAgain(connection.credential);
    if (arrivals.isCrowded(peer)) throw tooManyLinks(peer);
    arrivals.receive({ ...connection, peer, isPassedOn: true });
  }

  /** Whichever hub an agent comes to, only one kind of credential counts. */
  async function authenticateAgain(credential: Credential): Promise<AgentIdentity> {
    if (mesh && credential.kind === "mesh") return await mesh.judge(credential);
    if (mesh || credential.kind === "mesh") throw linksErrors.LINK_CREDENTIAL_MISMATCH();
    return await identity.authenticatePeer(credential.der);
  }

  function countError(error: FairleadError): void {
    errorsByCode.set(error.code, (errorsByCode.get(error.code) ?? 0) + 1);
  }

  function accept(arrival: Arrival, first: FirstMessage): void {
    try {
      if (!allowances.of(arrival.peer.cluster).beginnings(arrival.peer.roles).take()) throw tooManyLinks(arrival.peer);
      makeRoom(registry.own(arrival.peer.cluster), arrival.peer)?.link.close("superseded");
    } catch (thrown) {
      const error = toFairleadError(thrown);
      countError(error);
      const { cluster } = arrival.peer;
      log.warn({ err: error, cluster, remoteAddress: arrival.remoteAddress }, "link refused");
      arrival.webSocket.close(closeCodes.tooManyLinks, error.code);
      return;
    }
    begin(arrival, first);
  }

  function begin({ webSocket, peer, remoteAddress }: Arrival, first: FirstMessage): void {
    const { cluster, roles } = peer;
    const allowance = allowances.of(cluster);
    const routes = createLinkRoutes({
      hub,
      clock,
      peer: () => ({ ...record.peer, hello: record.hello, refusal: record.refusal }),
      renew: identity.renew,
      confirm: identity.confirm,
      addServices: options.addServices,
      onHello: async (hello, facts) => {
        const isRepeated = record.hello !== undefined && record.hello.kubeSystemUid === hello.kubeSystemUid;
        // The cluster's identity counts from its first step on, so that the link is judged before it is used.
        const recorded = clusters.recordHello(cluster, facts, { isRepeated });
        greet(record, hello);
        await recorded;
        options.onGreeted?.(record);
        return record.refusal;
      },
      // The certificate that the link was opened with may end before the next renewal.
      onRenewed: (renewed) => record.renew(renewed),
    });
    const link = acceptLink({
      socket: webSocket,
      first,
      sessions: arrivals.sessions,
      accept: createRpcAcceptor({ routes }),
      budget: allowance.budget,
      peers: allowance.peers,
      clock,
      limits: { streams: allowance.callsPerLink, ...limits },
    });
    // Calls arrive with later messages than the first one.
    const record = new LinkRecord({ id: createId("lnk"), peer, link, remoteAddress, clock });
    registry.add(record);
    link.onGoAway = (message) => retire(record, { type: "drains" }, message.reason);
    link.onStateChanged = (state) => {
      registry.refresh(cluster);
      if (state === "resuming") log.info({ linkId: record.id, cluster }, "agent link lost its connection");
      endGivenUp(record);
      findSurplus(registry.own(cluster), record)?.link.close("too many links without a connection");
    };
    const cancelHelloTimer = clock.after(helloTimeoutMs, () => {
      if (!record.hello) link.close("no hello in time");
    });
    const cancelMove = moveInTime(record);
    log.info({ linkId: record.id, cluster, roles, remoteAddress }, "agent linked");
    void link.closed.then((closed) => {
      cancelHelloTimer();
      cancelMove();
      record[Symbol.dispose]();
      leave(record, closed);
    });
  }

  /** The link goes on after a cut. Its certificate may be newer than the one that it was opened with. */
  function goOn(record: LinkRecord, { peer, remoteAddress, isPassedOn }: Arrival): void {
    record.remoteAddress = remoteAddress;
    if (peer.notAfter > record.notAfter) record.holdUntil(peer.notAfter);
    log.info({ linkId: record.id, cluster: record.cluster, remoteAddress, isPassedOn }, "agent link goes on");
    // Its bytes cross another hub from now on. The next link is that hub's own; streams of this one may end in peace.
    if (isPassedOn) sendAway(record, { reason: "its connection is at another hub", drainMs: sentAwayMs });
  }

  /** Without a certificate nothing is renewed: the mesh has to vouch for a new link well before the old one's end. */
  function moveInTime(record: LinkRecord): () => void {
    const { serial, notAfter } = record.peer;
    if (serial !== undefined) return () => undefined;
    const lifeMs = notAfter - clock.now();
    return clock.after(lifeMs * (0.5 + random() * 0.1), () => {
      sendAway(record, { reason: "its mesh must vouch for it again", drainMs: lifeMs / 2 });
    });
  }

  function sendAway(record: LinkRecord, message: { readonly reason: string; readonly drainMs: number }): void {
    if (record.isDraining) return;
    retire(record, { type: "drains" }, message.reason);
    record.link.goAway(message).catch(() => record.link.close(message.reason));
  }

  function endLeftBehind({ cluster, agentInstanceId, keyThumbprint }: MovedAgent): void {
    for (const record of registry.own(cluster)) {
      if (record.isDraining || record.link.state !== "resuming" || !record.keyThumbprints.has(keyThumbprint)) continue;
      if (record.hello?.agentInstanceId === agentInstanceId) record.link.close("superseded");
    }
  }

  /** The agent is known now: an older link of the same process is one that it has given up. */
  function greet(record: LinkRecord, hello: HelloFacts): void {
    judge(record, hello, { ownStreams: 1 });
    for (const other of registry.own(record.cluster)) {
      const isSame = isSameIdentity(other, record) && other.hello?.agentInstanceId === hello.agentInstanceId;
      if (other === record || !isSame || other.connectedAt > record.connectedAt) continue;
      retire(other, { type: "superseded" }, "superseded");
      endGivenUp(other);
    }
  }

  /** Decides if the agent is taken for one of its cluster. If not, others' streams on its link end with the link. */
  function judge(record: LinkRecord, hello: HelloFacts, { ownStreams }: { readonly ownStreams: number }): void {
    const { cluster, link, refusal: before } = record;
    const refusal = clusters.refusal(cluster, hello);
    const isSame = before?.message === refusal?.message;
    record.enter({ type: "judged", hello, refusal: isSame ? before : refusal });
    registry.refresh(cluster);
    if (isSame) return;
    if (!refusal) return;
    countError(refusal);
    log.warn({ linkId: record.id, cluster, err: refusal }, "agent isn't used");
    if (link.streamCount > ownStreams) link.close("another cluster");
  }

  /** Nobody will dial for it again: a caller that waits for one of its streams would wait for nothing. */
  function endGivenUp(record: LinkRecord): void {
    if (record.isGivenUp && record.link.state === "resuming") record.link.close("superseded");
  }

  function retire(record: LinkRecord, event: LinkEvent, reason: string): void {
    if (record.isDraining) return;
    record.enter(event);
    registry.refresh(record.cluster);
    log.info({ linkId: record.id, cluster: record.cluster, reason }, "link drains");
  }

  function leave(record: LinkRecord, closed: LinkClosed): void {
    registry.remove(record);
    past.add(record.link.stats());
    const { reason } = closed;
    if (closed.reason === "violation" || closed.reason === "socket-error") countError(closed.error);
    const err = "error" in closed ? { err: closed.error } : {};
    log.info({ linkId: record.id, cluster: record.cluster, reason, ...err }, "agent link closed");
    // The cluster that the name means wasn't there.
    if (record.refusal) return;
    void clusters.recordDisconnect(record.cluster, reason).catch((error: unknown) => {
      log.warn({ err: error, cluster: record.cluster }, "can't record that a link ended");
    });
  }

  async function drain(message: GoAway): Promise<void> {
    isStopping = true;
    const records = registry.list();
    for (const record of records) retire(record, { type: "drains" }, message.reason);
    await Promise.all(records.map((record) => record.link.goAway(message).catch(() => record.link.close("hub stops"))));
  }
}

/** An exec session or a watch may go on for so long over a link that its agent was sent away from. */
const sentAwayMs = 3_600_000;
