// Keeps a link to each of the other hubs. Each hub dials all others, and opens streams on the links that it dialled.
import { Backoff, type Clock, sleep } from "@fairlead/kernel";
import {
  attachLink,
  type BudgetOf,
  type Link,
  type LinkBudget,
  resetCodes,
  type StreamAcceptor,
  unheard,
} from "@fairlead/protocol";
import type { WebSocket } from "ws";
import type { Logger } from "../../platform/telemetry/index.ts";
import { dialHub } from "./dial.ts";
import type { HubIdentity } from "./identity.ts";
import type { OtherHub } from "./types.ts";

export interface HubPeers extends AsyncDisposable {
  /** The others that live now: links to new ones are begun, those to others end. */
  keep(others: readonly OtherHub[]): void;
  /**
   * Makes all connections anew, by the certificates and authorities of now. Links to hubs that have such a certificate go
   * on before their streams notice.
   */
  redial(): void;
  /** Undefined while there is none. */
  linkTo(hub: string): Link | undefined;
  list(): readonly OtherHub[];
  readonly count: number;
}

export function createHubPeers(options: {
  readonly identity: HubIdentity;
  readonly budget: LinkBudget;
  readonly budgetOf: BudgetOf;
  readonly clock: Clock;
  readonly log: Logger;
  /** The link to a hub came or went, or has lost its connection or got one. */
  readonly onChanged: (hub: string) => void;
}): HubPeers {
  const { identity, budget, budgetOf, clock, log, onChanged } = options;
  const peers = new Map<string, Peer>();
  const sockets = new Set<WebSocket>();

  return {
    keep(others) {
      const living = new Map(others.map((hub) => [hub.id, hub]));
      for (const [id, peer] of peers) {
        if (living.get(id)?.address === peer.hub.address) continue;
        peers.delete(id);
        peer.stop.abort(new Error(takenForDead));
      }
      for (const hub of others) if (!peers.has(hub.id)) begin(hub);
    },
    redial() {
      for (const socket of sockets) socket.terminate();
    },
    linkTo: (id) => peers.get(id)?.link,
    list: () => [...peers.values()].map(({ hub }) => hub),
    get count() {
      return peers.size;
    },
    async [Symbol.asyncDispose]() {
      const all = [...peers.values()];
      peers.clear();
      for (const { stop } of all) stop.abort(new Error("this hub stops"));
      await Promise.all(all.map(({ running }) => running));
    },
  };

  function begin(hub: OtherHub): void {
    const peer: Peer = { hub, stop: new AbortController(), link: undefined, running: Promise.resolve() };
    peers.set(hub.id, peer);
    peer.running = run(peer);
  }

  async function run(peer: Peer): Promise<void> {
    const { hub, stop } = peer;
    const { signal } = stop;
    const backoff = new Backoff({ baseMs: 200, maxMs: 5_000 });
    let isTold = false;
    while (!signal.aborted) {
      try {
        await hold(peer, await dial(hub, signal), () => {
          isTold = false;
          backoff.reset();
        });
      } catch (error) {
        if (!signal.aborted && !isTold) log.warn({ err: error, hub: hub.id }, "can't reach another hub; trying again");
        isTold = true;
      }
      await sleep(backoff.nextMs(), { clock, signal }).catch(() => undefined);
    }
  }

  async function dial(hub: OtherHub, signal: AbortSignal): Promise<Link> {
    const reach = async (): Promise<WebSocket> => {
      const socket = await dialHub({ hub, identity, signal, timeoutMs: dialMs });
      sockets.add(socket);
      socket.once("close", () => sockets.delete(socket));
      return socket;
    };
    const socket = await reach();
    return attachLink({ socket, budget, budgetOf, clock, accept: refuse, dialAgain: reach });
  }

  /** Resolves when the link is over. */
  async function hold(peer: Peer, link: Link, onUp: () => void): Promise<void> {
    const { hub, stop } = peer;
    const end = (): void => link.close((stop.signal.reason as Error).message);
    stop.signal.addEventListener("abort", end, { once: true });
    if (stop.signal.aborted) end();
    const change = (): void => {
      if (peers.get(hub.id) === peer) onChanged(hub.id);
    };
    peer.link = link;
    link.onStateChanged = change;
    onUp();
    log.info({ hub: hub.id, address: hub.address }, "linked to another hub");
    change();
    const closed = await link.closed;
    stop.signal.removeEventListener("abort", end);
    peer.link = undefined;
    log.info({ hub: hub.id, reason: closed.reason }, "the link to another hub ended");
    change();
  }
}

interface Peer {
  readonly hub: OtherHub;
  readonly stop: AbortController;
  link: Link | undefined;
  running: Promise<void>;
}

/** The hub that was dialled opens none. */
const refuse: StreamAcceptor = (stream) => {
  stream.reset(resetCodes.unknownTarget, "Streams go the other way on this link.");
  return unheard(stream);
};

/** Closes the link to a hub that isn't among those of the database any more, and tells it so. */
export const takenForDead = "taken for dead";

const dialMs = 5_000;
