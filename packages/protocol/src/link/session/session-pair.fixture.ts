// Two sessions without a socket between them: frames wait in queues until the test moves them, one by one.

import { createMovableClock, type MovableClock } from "@fairlead/kernel/testing";
import type { StreamAcceptor } from "../stream/index.ts";
import type { Carrier, OpenHead } from "../wire/index.ts";
import type { LinkBudget } from "./budget.ts";
import type { LinkLimits } from "./limits.ts";
import { type PeerStreams, type ResumingSide, Session } from "./session.ts";
import type { BudgetOf } from "./stream-maker.ts";
import type { LinkStats } from "./types.ts";

class QueueCarrier implements Carrier {
  readonly frames: Buffer[] = [];
  closed: { readonly code: number; readonly text: string } | undefined;
  isTerminated = false;
  #bufferedBytes = 0;

  send(head: Uint8Array, headBytes: number, payload: readonly Uint8Array[] = []): void {
    const frame = Buffer.concat([head.subarray(0, headBytes), ...payload]);
    this.frames.push(frame);
    this.#bufferedBytes += frame.byteLength;
  }

  shift(): Buffer | undefined {
    const frame = this.frames.shift();
    if (frame) this.#bufferedBytes -= frame.byteLength;
    return frame;
  }

  clear(): void {
    this.frames.length = 0;
    this.#bufferedBytes = 0;
  }

  get bufferedBytes(): number {
    return this.#bufferedBytes;
  }

  requestFlush(): void {}

  close(code: number, text: string): void {
    this.closed ??= { code, text };
  }

  terminate(): void {
    this.isTerminated = true;
  }
}

export interface Side {
  readonly session: Session;
  /** The one of today: a cut and a reconnection make it another. */
  carrier: QueueCarrier;
  /** The carrier of the bulk lane, once that has come about. */
  bulk: QueueCarrier | undefined;
}

export interface SessionPairOptions {
  readonly acceptOnHub?: StreamAcceptor;
  readonly acceptOnAgent?: StreamAcceptor;
  readonly limits?: Partial<LinkLimits>;
  readonly hubBudget?: LinkBudget;
  readonly agentBudget?: LinkBudget;
  readonly hubPeers?: PeerStreams;
  readonly hubBudgetOf?: BudgetOf;
  /** Both sides can go on after a cut; unless one of them is told not to. */
  readonly resuming?: boolean | { readonly hub: boolean; readonly agent: boolean };
}

export class SessionPair {
  readonly clock: MovableClock = createMovableClock(1_000_000);
  readonly hub: Side;
  readonly agent: Side;
  isCut = false;
  isBulkCut = false;
  /** The lanes that the agent was asked to dial for. */
  readonly dials: number[] = [];

  constructor(options: SessionPairOptions = {}) {
    const { acceptOnHub = refuse, acceptOnAgent = refuse, limits, hubBudget: budget, resuming = false } = options;
    const { hubPeers: peers, hubBudgetOf: budgetOf } = options;
    const can = typeof resuming === "boolean" ? { hub: resuming, agent: resuming } : resuming;
    const hub = new QueueCarrier();
    const agent = new QueueCarrier();
    const clock = this.clock;
    const waiting: ResumingSide = { by: "waiting", nameSession: () => "0123456789abcdef" };
    const dialling: ResumingSide = { by: "dialling", dial: (_, lane) => void this.dials.push(lane) };
    this.hub = {
      carrier: hub,
      bulk: undefined,
      session: new Session({
        carrier: hub,
        isDialler: false,
        accept: acceptOnHub,
        limits,
        budget,
        budgetOf,
        peers,
        clock,
        resuming: can.hub ? waiting : undefined,
      }),
    };
    this.agent = {
      carrier: agent,
      bulk: undefined,
      session: new Session({
        carrier: agent,
        isDialler: true,
        accept: acceptOnAgent,
        limits,
        budget: options.agentBudget,
        clock,
        resuming: can.agent ? dialling : undefined,
      }),
    };
  }

  /** Loses the frames that `deliver` hasn't moved. The hub may not notice for a while. */
  cut(options: { readonly hubNotices?: boolean } = {}): void {
    const { hubNotices = true } = options;
    this.isCut = true;
    this.agent.carrier.clear();
    this.hub.carrier.clear();
    this.agent.session.carrierClosed(1006, "");
    if (hubNotices) this.hub.session.carrierClosed(1006, "");
  }

  /** The same for the bulk lane alone. */
  cutBulk(options: { readonly hubNotices?: boolean } = {}): void {
    const { hubNotices = true } = options;
    this.isBulkCut = true;
    this.agent.bulk?.clear();
    this.hub.bulk?.clear();
    this.agent.session.carrierClosed(1006, "", 1);
    if (hubNotices) this.hub.session.carrierClosed(1006, "", 1);
  }

  /** Has the effect of both sides' RESUME frames. False when one of the two refuses. */
  reconnect(): boolean {
    const carriers = this.#attach(0);
    if (carriers === undefined) return false;
    this.isCut = false;
    this.hub.carrier = carriers.hub;
    this.agent.carrier = carriers.agent;
    return true;
  }

  /** The bulk lane comes about, or comes back. */
  connectBulk(): boolean {
    const carriers = this.#attach(1);
    if (carriers === undefined) return false;
    this.isBulkCut = false;
    this.hub.bulk = carriers.hub;
    this.agent.bulk = carriers.agent;
    return true;
  }

  #attach(lane: number): { readonly hub: QueueCarrier; readonly agent: QueueCarrier } | undefined {
    const carriers = { hub: new QueueCarrier(), agent: new QueueCarrier() };
    let hubReceived = 0;
    const agentReceived = this.agent.session.receivedOn(lane);
    const isTaken = this.hub.session.attach(lane, carriers.hub, agentReceived, (received) => {
      hubReceived = received;
    });
    return isTaken && this.agent.session.attach(lane, carriers.agent, hubReceived) ? carriers : undefined;
  }

  /** Moves one frame from one side to the other. False when there was none. */
  deliver(from: Side, lane = 0): boolean {
    const to = from === this.hub ? this.agent : this.hub;
    if (lane === 0 ? this.isCut : this.isBulkCut) return false;
    const frame = (lane === 0 ? from.carrier : from.bulk)?.shift();
    if (frame) to.session.receive(frame, lane);
    return frame !== undefined;
  }

  /** Goes on until neither side has anything to say. */
  settle(): void {
    let isMoving = true;
    while (isMoving) {
      isMoving = false;
      for (const lane of [0, 1]) {
        this.hub.session.writable(lane);
        this.agent.session.writable(lane);
        const hubMoved = this.deliver(this.hub, lane);
        const agentMoved = this.deliver(this.agent, lane);
        isMoving ||= hubMoved || agentMoved;
      }
    }
  }
}

export function openHead(overrides: Partial<OpenHead> = {}): OpenHead {
  return {
    target: "kubernetes",
    method: "GET",
    path: "/api/v1/pods?watch=true",
    headers: ["Accept", "application/json"],
    upgrade: false,
    requestId: "req_1",
    deadlineMs: 30_000,
    ...overrides,
  };
}

/** The figures of a link whose streams are all over. */
export const idleStats: Pick<LinkStats, "streams" | "credit" | "queueAgeMs" | "starvedStreams"> = {
  streams: { opening: 0, open: 0, halfClosed: 0 },
  credit: { heldBytes: 0, grantedBytes: 0, queuedBytes: 0 },
  queueAgeMs: 0,
  starvedStreams: 0,
};

function refuse(): never {
  throw new Error("nothing is served here");
}
