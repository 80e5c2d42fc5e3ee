// Pings both ways, and the silence after which the peer is dead. Any frame proves life; pings make sure there are some.
import type { Clock } from "@fairlead/kernel";
import type { FrameWriter } from "../wire/index.ts";
import { Ticker } from "./ticker.ts";

export interface LivenessOptions {
  readonly clock: Clock;
  readonly writer: FrameWriter;
  readonly pingMs: number;
  readonly deadMs: number;
  /** Something was sent that the peer hasn't acknowledged, as it would at once. */
  readonly isOwed: () => boolean;
  /** Every few seconds, for as long as there is a connection. */
  readonly onTick?: (() => void) | undefined;
  /** The peer said nothing for this long. */
  readonly onDead: (silentMs: number) => void;
}

interface PendingPing {
  sentAt: number;
  readonly settle: ((result: { rttMs: number } | { error: unknown }) => void) | undefined;
}

export class Liveness {
  readonly #options: LivenessOptions;
  readonly #ticker: Ticker;
  readonly #pings = new Map<number, PendingPing>();
  #nextToken = 1;
  #silentMs = 0;
  /** Ticks in silence, with something unacknowledged at each. */
  #owedTicks = 0;
  #sincePingMs = 0;
  #lastPingAt = Number.NEGATIVE_INFINITY;
  #mayPing = false;
  #ownToken: number | undefined;
  lastRttMs: number | undefined;
  /** The shortest of the current stretch of pings and of the one before: paths change. */
  #shortestMs = Number.POSITIVE_INFINITY;
  #shortestBeforeMs = Number.POSITIVE_INFINITY;
  #stretchPings = 0;

  constructor(options: LivenessOptions) {
    this.#options = options;
    // Fine enough that death is noticed within a fifth of its limit.
    const everyMs = Math.max(1, Math.min(options.pingMs, Math.floor(options.deadMs / 5)));
    this.#ticker = new Ticker(options.clock, everyMs, (passedMs) => this.#tick(passedMs));
  }

  start(): void {
    this.#ticker.start();
  }

  /** Pings may go out from here on. Those asked for earlier go now, and so do those that a connection took with it. */
  greeted(): void {
    this.#mayPing = true;
    const { clock, writer } = this.#options;
    for (const [token, ping] of this.#pings) {
      ping.sentAt = clock.steadyMs();
      writer.ping(token, clock.now());
    }
    this.#pingOnce();
  }

  /** There is no connection: silence means nothing, and pings wait. */
  suspend(): void {
    this.#ticker.stop();
    this.#mayPing = false;
    if (this.#ownToken !== undefined) this.#pings.delete(this.#ownToken);
  }

  /** Called for a new connection, which may take another way. */
  restart(): void {
    this.#shortestMs = Number.POSITIVE_INFINITY;
    this.#shortestBeforeMs = Number.POSITIVE_INFINITY;
    this.heard();
    this.#sincePingMs = 0;
    this.#ticker.start();
    this.greeted();
  }

  /** Something came from the peer. */
  heard(): void {
    this.#silentMs = 0;
    this.#owedTicks = 0;
  }

  ping(options: { readonly signal?: AbortSignal }): Promise<number> {
    const { signal } = options;
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const token = this.#send((result) => {
        signal?.removeEventListener("abort", abort);
        if ("error" in result) reject(result.error);
        else resolve(result.rttMs);
      });
      signal?.addEventListener("abort", abort, { once: true });
      const pings = this.#pings;

      function abort(): void {
        pings.delete(token);
        reject(signal?.reason);
      }
    });
  }

  pong(token: Uint8Array): void {
    const id = Buffer.from(token.buffer, token.byteOffset, token.byteLength).readUInt32BE(4);
    const ping = this.#pings.get(id);
    if (!ping) return;
    this.#pings.delete(id);
    this.lastRttMs = Math.max(0, this.#options.clock.steadyMs() - ping.sentAt);
    this.#learn(this.lastRttMs);
    ping.settle?.({ rttMs: this.lastRttMs });
  }

  /** The shortest round trip of late. A caller moves bulk, and is worth a ping now and then. */
  freshRttMs(): number | undefined {
    // Another ping on a longer path would make us forget the one whose answer is on its way.
    const isAnswered = this.#ownToken === undefined || !this.#pings.has(this.#ownToken);
    const isDue = this.#options.clock.steadyMs() - this.#lastPingAt > measureEveryMs;
    if (this.#mayPing && isAnswered && isDue) this.#pingOnce();
    const shortestMs = Math.min(this.#shortestMs, this.#shortestBeforeMs);
    return Number.isFinite(shortestMs) ? shortestMs : undefined;
  }

  stop(error: unknown): void {
    this.#ticker.stop();
    const pings = [...this.#pings.values()];
    this.#pings.clear();
    for (const ping of pings) ping.settle?.({ error });
  }

  #tick(passedMs: number): void {
    this.#silentMs += passedMs;
    this.#sincePingMs += passedMs;
    this.#owedTicks = this.#options.isOwed() ? this.#owedTicks + 1 : 0;
    if (this.#silentMs >= this.#options.deadMs || this.#owedTicks > mostOwedTicks) {
      this.#options.onDead(this.#silentMs);
      return;
    }
    this.#options.onTick?.();
    if (this.#sincePingMs < this.#options.pingMs) return;
    this.#pingOnce();
  }

  #learn(rttMs: number): void {
    this.#shortestMs = Math.min(this.#shortestMs, rttMs);
    if (++this.#stretchPings < pingsPerStretch) return;
    this.#stretchPings = 0;
    this.#shortestBeforeMs = this.#shortestMs;
    this.#shortestMs = Number.POSITIVE_INFINITY;
  }

  #pingOnce(): void {
    this.#sincePingMs = 0;
    this.#lastPingAt = this.#options.clock.steadyMs();
    // A single ping of our own is enough: a peer that talks but never answers must not make them pile up.
    if (this.#ownToken !== undefined) this.#pings.delete(this.#ownToken);
    this.#ownToken = this.#send(undefined);
  }

  #send(settle: PendingPing["settle"]): number {
    const token = this.#nextToken;
    this.#nextToken = (token % 0xffff_ffff) + 1;
    this.#pings.set(token, { sentAt: this.#options.clock.steadyMs(), settle });
    if (this.#mayPing) this.#options.writer.ping(token, this.#options.clock.now());
    return token;
  }
}

/** Silence is given less time when an answer is due: where the link can resume, a new connection costs little. */
const mostOwedTicks = 2;
const measureEveryMs = 1_000;
const pingsPerStretch = 30;
