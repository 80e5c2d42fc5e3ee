// Plays one side's part of a transcript with the code of today: the other side's frames are the recorded ones, and what
// today's side says and sees has to mean the same.

import { createMovableClock } from "@fairlead/kernel/testing";
import type { WebSocket } from "ws";
import { findDifference } from "./expect-frame.ts";
import { readFrame, types } from "./frames.ts";
import { Side } from "./side.ts";
import { type Entry, fromFrameBytes, type SideName, sayFrame, type Transcript } from "./transcript.ts";
import { Wire } from "./wire.ts";

/** Rejects at the first difference, and says which line of the transcript it is about. */
export async function replay(transcript: Transcript, as: SideName): Promise<void> {
  const replayer = new Replayer(transcript, as);
  try {
    await replayer.run();
  } finally {
    replayer.close();
  }
}

class Replayer {
  readonly #transcript: Transcript;
  readonly #as: SideName;
  readonly #clock = createMovableClock(startMs);
  readonly #wire = new Wire();
  readonly #side: Side;
  readonly #said = new Outbox();
  readonly #saw = new Map<string, string[]>();
  readonly #dials: ((socket: WebSocket) => void)[] = [];
  readonly #performed: Promise<void>[] = [];
  #session = { recorded: "", actual: "" };
  #line = 1;

  constructor(transcript: Transcript, as: SideName) {
    this.#transcript = transcript;
    this.#as = as;
    const sees = (session: number, what: string): void => {
      this.#wire.active();
      append(this.#saw, topicOf(session, what), what);
    };
    const { head } = transcript;
    this.#side = new Side({ name: as, head, clock: this.#clock, sees, dial: () => this.#wire.dial() });
  }

  async run(): Promise<void> {
    for (const entry of this.#transcript.entries) {
      this.#line++;
      await this.#play(entry);
    }
    await this.#collect();
    const rest = this.#said.rest();
    if (rest.length > 0) this.#fail(`nobody expected ${rest.join("; ")}`);
    await Promise.all(this.#performed);
    const recorded = new Map<string, string[]>();
    for (const entry of this.#transcript.entries) {
      if ("sees" in entry && entry.sees === this.#as) append(recorded, topicOf(entry.session, entry.what), entry.what);
    }
    const expected = JSON.stringify([...recorded].sort(), undefined, 1);
    const seen = JSON.stringify([...this.#saw].sort(), undefined, 1);
    if (seen !== expected) this.#fail(`the ${this.#as}'s user expected to see ${expected}, and saw ${seen}`);
  }

  close(): void {
    this.#side.close();
    this.#wire.destroy();
  }

  async #play(entry: Entry): Promise<void> {
    if ("act" in entry) {
      if (entry.act === this.#as) this.#performed.push(this.#side.perform(entry.session, entry.what));
      if (entry.inOneTurn) return;
    } else if ("tick" in entry) {
      await this.#collect();
      this.#clock.move(entry.tick);
    } else if ("dialled" in entry) {
      await this.#connect(entry.by);
    } else if ("frame" in entry) {
      await (entry.frame === this.#as ? this.#expectFrame(entry) : this.#bring(entry));
    } else if ("text" in entry) {
      this.#wire.send(entry.on, this.#as, entry.message);
    } else if ("closed" in entry) {
      await (entry.closed === this.#as ? this.#expectClose(entry) : this.#bringClose(entry));
    } else if ("cut" in entry) {
      await this.#collect();
      this.#wire.cut(entry.cut);
    }
    await this.#collect();
  }

  async #connect(by: "agent" | "stranger"): Promise<void> {
    await this.#collect();
    if (this.#as === "hub") {
      await this.#wire.connect({ hub: this.#side, answerAgent: undefined, mayResume: by === "agent" });
      return;
    }
    const answerAgent = this.#dials.shift();
    if (answerAgent === undefined) this.#fail("the agent was expected to dial, and didn't");
    await this.#wire.connect({ hub: undefined, answerAgent, mayResume: true });
  }

  async #bring(entry: Extract<Entry, { frame: SideName }>): Promise<void> {
    if (entry.lost) return;
    await this.#collect();
    this.#wire.send(entry.on, this.#as, this.#inToday(fromFrameBytes(entry)));
  }

  async #bringClose({ on, code, reason }: Extract<Entry, { closed: SideName }>): Promise<void> {
    await this.#collect();
    this.#wire.close(on, this.#as, code, reason);
  }

  async #expectFrame(entry: Extract<Entry, { frame: SideName }>): Promise<void> {
    const recorded = fromFrameBytes(entry);
    const actual = this.#said.take(entry.on, recorded);
    if (actual === undefined) this.#fail(`expected ${entry.says}, and nothing came`);
    const difference = findDifference(recorded, actual);
    if (difference !== undefined) this.#fail(difference);
    this.#learn(recorded, actual);
  }

  async #expectClose({ on, code, reason }: Extract<Entry, { closed: SideName }>): Promise<void> {
    const closed = this.#said.takeClose(on);
    if (closed !== `${code} ${reason}`)
      this.#fail(`expected connection ${on} to close with ${code} ${reason}, not ${closed}`);
  }

  /** A name and tokens that today's side has chosen stand for those that were chosen then. */
  #learn(recorded: Buffer, actual: Buffer): void {
    const { type, json } = readFrame(recorded);
    if (type === types.settings && this.#as === "hub") {
      const name = (json as { session?: string }).session;
      const today = (readFrame(actual).json as { session?: string }).session;
      if (name !== undefined && today !== undefined) this.#session = { recorded: name, actual: today };
    }
    if (type === types.ping) this.#said.tokens.set(readFrame(recorded).token ?? "", actual.subarray(8));
  }

  #inToday(message: Buffer): Buffer {
    const { type, token } = readFrame(message);
    const { recorded, actual } = this.#session;
    if (type === types.resume && recorded !== "")
      return Buffer.from(message.toString("latin1").replace(recorded, actual), "latin1");
    const pinged = type === types.pong ? this.#said.tokens.get(token ?? "") : undefined;
    return pinged === undefined ? message : Buffer.concat([message.subarray(0, 8), pinged]);
  }

  async #collect(): Promise<void> {
    await this.#wire.quiet();
    for (const item of this.#wire.items.splice(0)) {
      if (item.kind === "dial") this.#dials.push(item.answer);
      else if (item.kind === "frame") this.#said.add(item.on, item.message);
      else if (item.kind === "close") this.#said.close(item.on, `${item.code} ${item.reason}`);
    }
  }

  #fail(text: string): never {
    throw new Error(`line ${this.#line} of "${this.#transcript.head.transcript}", as the ${this.#as}: ${text}`);
  }
}

/** Keeps what today's side has said until an entry asks for it. Frames that aren't numbered may come among the others. */
class Outbox {
  readonly tokens = new Map<string, Buffer>();
  readonly #frames = new Map<string, Buffer[]>();
  readonly #closes = new Map<number, string>();

  add(on: number, message: Buffer): void {
    append(this.#frames, queueOf(on, message), message);
  }

  take(on: number, recorded: Buffer): Buffer | undefined {
    return this.#frames.get(queueOf(on, recorded))?.shift();
  }

  close(on: number, how: string): void {
    this.#closes.set(on, how);
  }

  takeClose(on: number): string | undefined {
    const how = this.#closes.get(on);
    this.#closes.delete(on);
    return how;
  }

  rest(): string[] {
    const frames = [...this.#frames.values()].flat().map((message) => sayFrame(message));
    return [...frames, ...[...this.#closes].map(([on, how]) => `connection ${on} to close with ${how}`)];
  }
}

function queueOf(on: number, message: Buffer): string {
  const { isNumbered, name } = readFrame(message);
  return isNumbered ? `${on}` : `${on} ${name}`;
}

/** The sights of one stream have an order, and so have those of the link. */
function topicOf(session: number, what: string): string {
  return `${session} ${/^stream \d+/.exec(what)?.[0] ?? "link"}`;
}

function append<T>(lists: Map<string, T[]>, key: string, value: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

/** When every transcript begins. */
const startMs = 1_700_000_000_000;
