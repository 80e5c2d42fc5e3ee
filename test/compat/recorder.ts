// Plays a scenario between the two sides of today, or between one of them and a script, and writes down every frame.

import { createMovableClock } from "@fairlead/kernel/testing";
import { frame, types } from "./frames.ts";
import { Side } from "./side.ts";
import {
  type Act,
  type Entry,
  type SideName,
  sayFrame,
  type Transcript,
  type TranscriptHead,
  toFrameBytes,
} from "./transcript.ts";
import { Wire, type WireItem } from "./wire.ts";

export interface Scenario {
  readonly name: string;
  readonly about: string;
  readonly sides: readonly SideName[];
  readonly limits?: TranscriptHead["limits"];
  readonly consumesAtOnce?: boolean;
  readonly play: (recorder: Recorder) => Promise<void>;
}

export async function record(scenario: Scenario): Promise<Transcript> {
  const { name, about, sides, limits = {}, consumesAtOnce = true, play } = scenario;
  const head: TranscriptHead = {
    transcript: name,
    about,
    protocol: "fairlead.link.v1",
    sides,
    limits,
    consumesAtOnce,
  };
  const recorder = new Recorder(head);
  try {
    await play(recorder);
    await recorder.settle();
    return { head, entries: [...recorder.entries] };
  } finally {
    recorder.close();
  }
}

export class Recorder {
  readonly entries: Entry[] = [];
  readonly #clock = createMovableClock(startMs);
  readonly #wire = new Wire();
  readonly #sides: Partial<Record<SideName, Side>> = {};
  #connections = 0;
  #isOver = false;

  constructor(head: TranscriptHead) {
    for (const name of head.sides) {
      const sees = (session: number, what: string): void => {
        this.#wire.active();
        if (!this.#isOver) this.entries.push({ sees: name, session, what });
      };
      this.#sides[name] = new Side({ name, head, clock: this.#clock, sees, dial: () => this.#wire.dial() });
    }
  }

  /** Both sides have a link and have said their SETTINGS. */
  async begin(): Promise<void> {
    await this.act("agent", { do: "begin" });
  }

  /** With all that follows from it. `hold` keeps what is sent on the way. */
  async act(
    side: SideName,
    what: Act,
    options: { readonly session?: number; readonly hold?: boolean } = {},
  ): Promise<void> {
    const { session = 0, hold = false } = options;
    this.entries.push({ act: side, session, what });
    const performed = this.#sides[side]?.perform(session, what);
    await (hold ? this.#wire.quiet() : this.settle());
    await performed;
    if (!hold) await this.settle();
  }

  /** Acts without a turn of the event loop in between: frames that leave together may be fewer. */
  async acts(side: SideName, whats: readonly Act[], options: { readonly hold?: boolean } = {}): Promise<void> {
    const performed = whats.map((what, index) => {
      const inOneTurn = index < whats.length - 1 ? { inOneTurn: true as const } : {};
      this.entries.push({ act: side, session: 0, what, ...inOneTurn });
      return this.#sides[side]?.perform(0, what) ?? Promise.resolve();
    });
    await Promise.all(performed);
    await (options.hold ? this.#wire.quiet() : this.settle());
  }

  /** A script dials in the agent's or a stranger's place. Returns the connection's number. */
  async dial(by: "agent" | "stranger" = "agent"): Promise<number> {
    const on = this.#connections++;
    this.entries.push({ dialled: on, by });
    await this.#wire.connect({ hub: this.#sides.hub, answerAgent: undefined, mayResume: by === "agent" });
    return on;
  }

  /** A frame by the script in the place of the side that isn't there. */
  async send(message: Buffer | string, on = 0): Promise<void> {
    const from = this.#sides.hub === undefined ? "hub" : "agent";
    if (typeof message === "string") this.entries.push({ text: from, on, message });
    else this.entries.push({ frame: from, on, says: sayFrame(message), ...toFrameBytes(message) });
    this.#wire.send(on, otherSide(from), message);
    await this.settle();
  }

  async sendJson(type: number, stream: number, value: unknown, on = 0): Promise<void> {
    await this.send(frame(type, stream, Buffer.from(JSON.stringify(value))), on);
  }

  async hello(settings: object = {}, on = 0): Promise<void> {
    await this.sendJson(types.settings, 0, { versions: [1], streams: 100, ...settings }, on);
  }

  async tick(ms: number, options: { readonly hold?: boolean } = {}): Promise<void> {
    this.entries.push({ tick: ms });
    this.#clock.move(ms);
    await (options.hold ? this.#wire.quiet() : this.settle());
  }

  /** Frames that are on their way on this connection are lost with it. */
  async cut(on: number): Promise<void> {
    await this.#wire.quiet();
    for (const item of this.#wire.items.splice(0)) {
      if (item.kind === "frame" && item.on === on) this.#write(item, true);
      else this.#wire.items.push(item);
    }
    this.entries.push({ cut: on });
    this.#wire.cut(on);
    await this.settle();
  }

  /** The first frame of a type that a side sent, for what has to be said about it. */
  find(from: SideName, type: number): Buffer {
    const found = this.entries.findLast(
      (entry) => "frame" in entry && entry.frame === from && entry.hex.startsWith(type.toString(16).padStart(2, "0")),
    );
    if (found === undefined || !("frame" in found)) throw new Error(`${from} sent no frame of type ${type}`);
    return Buffer.from(found.hex, "hex");
  }

  async settle(): Promise<void> {
    while (true) {
      await this.#wire.quiet();
      const item = this.#wire.items.shift();
      if (item === undefined) return;
      await this.#pass(item);
    }
  }

  close(): void {
    this.#isOver = true;
    for (const side of Object.values(this.#sides)) side.close();
    this.#wire.destroy();
  }

  async #pass(item: WireItem): Promise<void> {
    switch (item.kind) {
      case "dial": {
        const on = this.#connections++;
        this.entries.push({ dialled: on, by: "agent" });
        await this.#wire.connect({ hub: this.#sides.hub, answerAgent: item.answer, mayResume: true });
        return;
      }
      case "frame":
      case "text":
        this.#write(item, false);
        this.#wire.send(item.on, otherSide(item.from), item.message);
        return;
      case "close":
        this.entries.push({ closed: item.from, on: item.on, code: item.code, reason: item.reason });
        this.#wire.close(item.on, otherSide(item.from), item.code, item.reason);
    }
  }

  #write(item: WireItem, isLost: boolean): void {
    if (item.kind === "text") this.entries.push({ text: item.from, on: item.on, message: item.message });
    if (item.kind !== "frame") return;
    const { from, on, message } = item;
    const lost = isLost ? { lost: true as const } : {};
    this.entries.push({ frame: from, on, says: sayFrame(message), ...toFrameBytes(message), ...lost });
  }
}

function otherSide(side: SideName): SideName {
  return side === "hub" ? "agent" : "hub";
}

/** When every transcript begins. */
const startMs = 1_700_000_000_000;
