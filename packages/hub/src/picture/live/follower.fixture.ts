// A client that goes on with its cursor after each cut, as real ones do.
import { type LiveMessage, liveSubprotocol, type ObjectFilter } from "@fairlead/contract";
import { WebSocket } from "ws";

interface FollowerOptions {
  readonly port: number;
  readonly principal: { readonly name: string };
  readonly filter: ObjectFilter;
  readonly credit: number;
  /** It may not be told of this object. */
  readonly isForeign?: ((uid: string) => boolean) | undefined;
}

/** A client that keeps what it is told over its connections. */
export class Follower {
  readonly #options: FollowerOptions;
  #port: number;
  readonly #items: Map<string, string> = new Map();
  /** The names that it was told of and may not see. */
  readonly foreign: string[] = [];
  readonly errors: string[] = [];
  /** How many times the hub began anew instead of going on from the cursor. */
  resets = 0;
  #webSocket: WebSocket | undefined;
  #cursor: string | undefined;
  #isStalled = false;
  #owed = 0;

  constructor(options: FollowerOptions) {
    this.#options = options;
    this.#port = options.port;
    this.reconnect();
  }

  /** It has a cursor to go on from. */
  get isSynced(): boolean {
    return this.#cursor !== undefined;
  }

  items(): string[] {
    return [...this.#items].map(([uid, app]) => `${uid} ${app}`).sort();
  }

  stall(isStalled: boolean): void {
    this.#isStalled = isStalled;
    if (!isStalled) this.#pay();
  }

  close(): void {
    this.#webSocket?.removeAllListeners();
    this.#webSocket?.on("error", () => undefined);
    this.#webSocket?.terminate();
  }

  /** With its cursor; to another hub, if told. */
  reconnect(port: number = this.#port): void {
    this.close();
    this.#port = port;
    const { principal, filter, credit, isForeign } = this.#options;
    const headers = { authorization: `Bearer ${principal.name}` };
    const webSocket = new WebSocket(`ws://127.0.0.1:${this.#port}/api/v1/live`, [liveSubprotocol], { headers });
    const cursor = this.#cursor;
    let named: Set<string> | undefined = new Set();
    this.#webSocket = webSocket;
    this.#owed = 0;
    webSocket.once("open", () => this.#send({ type: "subscribe", id: "1", filter, cursor, credit }));
    webSocket.on("message", (data) => {
      const message = JSON.parse(String(data)) as LiveMessage;
      if (message.type === "items" || message.type === "removed") {
        this.#owed += 1;
        for (const { uid } of message.items) {
          if (isForeign?.(uid)) this.foreign.push(uid);
          if (message.type === "removed") named?.delete(uid);
          else named?.add(uid);
        }
      }
      if (message.type === "items")
        for (const { uid, labels } of message.items) this.#items.set(uid, labels["app"] ?? "");
      if (message.type === "removed") for (const { uid } of message.items) this.#items.delete(uid);
      if (message.type === "synced") {
        this.#cursor = message.cursor;
        if (message.isReset) this.resets += 1;
        const whole = cursor === undefined || message.isReset ? named : undefined;
        named = undefined;
        if (whole) for (const uid of this.#items.keys()) if (!whole.has(uid)) this.#items.delete(uid);
      }
      if (message.type === "error") this.errors.push(message.code);
      if (!this.#isStalled) this.#pay();
    });
  }

  #pay(): void {
    if (this.#owed === 0 || this.#webSocket?.readyState !== WebSocket.OPEN) return;
    this.#send({ type: "credit", id: "1", add: this.#owed });
    this.#owed = 0;
  }

  #send(message: object): void {
    this.#webSocket?.send(JSON.stringify(message));
  }
}
