// The connections between two sides, with whoever records or replays in the middle: what either side sends stops here,
// in order, until it is passed on.
import { setImmediate as nextTurn } from "node:timers/promises";
import type { WebSocket } from "ws";
import { openSocketPair } from "./memory-socket.ts";
import type { Side } from "./side.ts";
import type { SideName } from "./transcript.ts";

export type WireItem =
  | { readonly kind: "frame"; readonly from: SideName; readonly on: number; readonly message: Buffer }
  | { readonly kind: "text"; readonly from: SideName; readonly on: number; readonly message: string }
  | {
      readonly kind: "close";
      readonly from: SideName;
      readonly on: number;
      readonly code: number;
      readonly reason: string;
    }
  | { readonly kind: "dial"; readonly answer: (socket: WebSocket) => void };

/** The ends in the middle: `hub` leads to the hub, `agent` to the agent; undefined where no real side is. */
interface Connection {
  readonly hub: WebSocket | undefined;
  readonly agent: WebSocket | undefined;
  isOver: boolean;
}

export class Wire {
  readonly items: WireItem[] = [];
  readonly #connections: Connection[] = [];
  #activity = 0;

  /** For the agent: the answer comes when a transcript gets there. */
  dial(): Promise<WebSocket> {
    this.active();
    return new Promise((answer) => this.items.push({ kind: "dial", answer }));
  }

  active(): void {
    this.#activity++;
  }

  /** Until nobody has anything to do before time moves or something else arrives. */
  async quiet(): Promise<void> {
    for (let idleTurns = 0; idleTurns < turnsToBeSure; idleTurns++) {
      const before = this.#activity;
      await nextTurn();
      if (this.#activity !== before) idleTurns = 0;
    }
  }

  /** Opens the next connection; returns its number. */
  async connect(options: {
    readonly hub: Side | undefined;
    readonly answerAgent: ((socket: WebSocket) => void) | undefined;
    readonly mayResume: boolean;
  }): Promise<number> {
    const { hub, answerAgent, mayResume } = options;
    const on = this.#connections.length;
    const toHub = hub && (await openSocketPair(() => this.active()));
    const toAgent = answerAgent && (await openSocketPair(() => this.active()));
    this.#connections.push({ hub: toHub?.dialler, agent: toAgent?.accepted, isOver: false });
    if (toHub) this.#listen(on, "hub", toHub.dialler);
    if (toAgent) this.#listen(on, "agent", toAgent.accepted);
    if (toHub) hub?.receive(toHub.accepted, mayResume);
    if (toAgent) answerAgent?.(toAgent.dialler);
    return on;
  }

  send(on: number, to: SideName, message: Buffer | string): void {
    this.active();
    this.#connections[on]?.[to]?.send(message);
  }

  close(on: number, to: SideName, code: number, reason: string): void {
    const connection = this.#connections[on];
    if (connection === undefined || connection.isOver) return;
    connection.isOver = true;
    this.active();
    if (code === brokenOff || code === 1005) connection[to]?.terminate();
    else connection[to]?.close(code, reason);
  }

  cut(on: number): void {
    const connection = this.#connections[on];
    if (connection === undefined) return;
    connection.isOver = true;
    this.active();
    connection.hub?.terminate();
    connection.agent?.terminate();
  }

  destroy(): void {
    for (const on of this.#connections.keys()) this.cut(on);
  }

  #listen(on: number, from: SideName, socket: WebSocket): void {
    socket.on("message", (message: Buffer, isBinary) => {
      this.active();
      if (isBinary) this.items.push({ kind: "frame", from, on, message: Buffer.from(message) });
      else this.items.push({ kind: "text", from, on, message: message.toString() });
    });
    socket.on("error", () => this.active());
    socket.on("close", (code, reason) => {
      this.active();
      // The echo of what was passed on says nothing new.
      if (!this.#connections[on]?.isOver) this.items.push({ kind: "close", from, on, code, reason: reason.toString() });
    });
  }
}

/** Promises of several layers settle one turn after another. */
const turnsToBeSure = 12;
const brokenOff = 1006;
