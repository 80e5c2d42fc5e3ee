// The streams of one link: opens them, forgets them, and keeps their deadlines and totals.
import type { Clock, FairleadError } from "@fairlead/kernel";
import {
  baseWindowBytes,
  type MuxStream,
  type StreamHandlers,
  type StreamOwner,
  streamReset,
} from "../stream/index.ts";
import { type OpenHead, type ResetCode, resetCodes } from "../wire/index.ts";
import type { LinkBudget } from "./budget.ts";
import { Deadlines } from "./deadlines.ts";
import { sessionErrors } from "./errors.ts";
import type { Lanes } from "./lanes.ts";
import type { LinkLimits } from "./limits.ts";
import { PartialHeads } from "./partial-heads.ts";
import { type BudgetOf, createStreamMaker, type MakeStream } from "./stream-maker.ts";
import type { StreamTable } from "./stream-table.ts";
import { Tally } from "./tally.ts";

export interface StreamsOptions {
  readonly table: StreamTable;
  readonly lanes: Lanes;
  readonly limits: LinkLimits;
  readonly clock: Clock;
  readonly budget: LinkBudget | undefined;
  readonly peerBudget: LinkBudget | undefined;
  readonly budgetOf: BudgetOf | undefined;
  /** The largest head that the peer takes. */
  readonly peerHeadBytes: () => number;
  /** The last one is over. */
  readonly onEmpty: () => void;
  /** The peer has sent more than it may on too many of them. */
  readonly onViolation: (error: FairleadError) => void;
}

export class Streams implements StreamOwner {
  readonly table: StreamTable;
  readonly tally: Tally = new Tally();
  readonly make: MakeStream;
  /** Parts of the head that the peer is sending. */
  readonly heads: PartialHeads;
  readonly #options: StreamsOptions;
  readonly #deadlines: Deadlines;

  constructor(options: StreamsOptions) {
    const { table, lanes, limits, clock, budget, peerBudget, budgetOf } = options;
    this.#options = options;
    this.table = table;
    const { make, peerPool: pool } = createStreamMaker({
      owner: this,
      main: lanes.main,
      limits,
      clock,
      budget,
      peerBudget,
      budgetOf,
    });
    this.make = make;
    this.heads = new PartialHeads({ pool, mostBytes: limits.headBytes });
    this.#deadlines = new Deadlines(clock, table.byId);
  }

  /** Opens a stream of this side. Throws what keeps it from being opened; nothing was sent then. */
  open(open: OpenHead, handlers: StreamHandlers): MuxStream {
    const stream = this.make({ id: this.table.nextId, open, isOpener: true, creditBytes: baseWindowBytes });
    const { window } = stream.inbound;
    if (!window.start()) throw sessionErrors.LINK_OVERLOADED();
    window.grow();
    stream.handlers = handlers;
    try {
      stream.request();
    } catch (thrown) {
      window.release();
      throw thrown;
    }
    this.add(stream);
    return stream;
  }

  add(stream: MuxStream): void {
    this.table.add(stream);
    this.#deadlines.watch(stream);
  }

  /** The link is over. */
  lose(error: FairleadError): void {
    this.#deadlines.stop();
    this.heads.close();
    for (const stream of [...this.table.byId.values()]) stream.lose(error);
  }

  /** The peer is going away: the requests that it hasn't got whole are for another link. */
  takeBackLargeHeads(): void {
    for (const stream of [...this.table.byId.values()]) {
      if (stream.isOpener && stream.hasLargeHead) stream.fail(resetCodes.goingAway, streamReset(resetCodes.goingAway));
    }
  }

  peerHeadBytes(): number {
    return Math.min(this.#options.peerHeadBytes(), this.#options.limits.headBytes);
  }

  now(): number {
    return this.#options.clock.steadyMs();
  }

  hasBulkLane(): boolean {
    return this.#options.lanes.bulk.isThere;
  }

  sendsBulk(stream: MuxStream): void {
    this.#options.lanes.bulk.makeWay(stream);
  }

  receivesBulk(): void {
    this.#options.lanes.bulk.ask();
  }

  endWithin(stream: MuxStream, ms: number | undefined): void {
    this.#deadlines.endWithin(stream, ms);
  }

  forget(stream: MuxStream, code: ResetCode | undefined): void {
    if (code !== undefined) this.tally.countReset(code);
    this.heads.end({ type: "given-up", stream: stream.id });
    if (this.table.remove(stream) && this.table.byId.size === 0) this.#options.onEmpty();
  }

  countOverdraft(): void {
    const error = this.tally.countOverdraft();
    if (error) this.#options.onViolation(error);
  }
}
