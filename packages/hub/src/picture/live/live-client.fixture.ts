import type { LiveMessage, LiveRequest } from "@fairlead/contract";
import { expect } from "vitest";
import type { WebSocket } from "ws";

type Item = Extract<LiveMessage, { type: "items" }>["items"][number];

/** Keeps what it is told, as a real one would. */
export class TestClient implements AsyncDisposable {
  readonly #webSocket: WebSocket;
  readonly #items: Map<string, Item> = new Map();
  readonly closed: Promise<{ code: number; reason: string }>;
  cursor: string | undefined;
  isReset = false;
  /** Messages of items. */
  messages: { items: number; sizeBytes: number }[] = [];
  tables: string[] = [];
  removed: string[] = [];
  errors: string[] = [];
  ages: string[] = [];
  states: Record<string, string> = {};

  constructor(webSocket: WebSocket) {
    this.#webSocket = webSocket;
    webSocket.on("message", (data) => {
      const text = String(data);
      this.#take(JSON.parse(text) as LiveMessage, text.length);
    });
    this.closed = new Promise((resolve) =>
      webSocket.once("close", (code, reason) => resolve({ code, reason: String(reason) })),
    );
  }

  get protocol(): string {
    return this.#webSocket.protocol;
  }

  send(request: LiveRequest): void {
    this.sendText(JSON.stringify(request));
  }

  sendText(text: string): void {
    this.#webSocket.send(text);
  }

  names(): string[] {
    return [...this.#items.values()].map(({ cluster, name }) => `${cluster}/${name}`).sort();
  }

  item(name: string): Item | undefined {
    return [...this.#items.values()].find((item) => `${item.cluster}/${item.name}` === name);
  }

  until(holds: (state: this) => boolean): Promise<void> {
    return expect.poll(() => holds(this), { timeout: 60_000, interval: 10 }).toBe(true);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#webSocket.close();
    await this.closed;
  }

  #take(message: LiveMessage, sizeBytes: number): void {
    switch (message.type) {
      case "items":
        this.messages.push({ items: message.items.length, sizeBytes });
        for (const item of message.items) this.#items.set(item.uid, item);
        this.tables.push(...(message.tables ?? []).map(({ kind }) => kind));
        break;
      case "removed":
        for (const { uid } of message.items) {
          this.#items.delete(uid);
          this.removed.push(uid);
        }
        break;
      case "synced":
        this.cursor = message.cursor;
        this.isReset ||= message.isReset === true;
        break;
      case "ages":
        this.ages = message.clusters.map(({ cluster }) => cluster);
        this.states = Object.fromEntries(message.clusters.map(({ cluster, state }) => [cluster, state]));
        break;
      case "error":
        this.errors.push(message.code);
        break;
      case "run":
      case "runs":
      case "log":
      case "ended":
        throw new Error(`nobody asked for ${message.type}`);
    }
  }
}
