// An event loop that handles one connection's frames handles nothing else meanwhile. So the connections of one owner may
// together take a few milliseconds of each turn of the loop; what they sent beyond it waits
// in the network until everybody else has been looked after. Where nobody else waits, the next turn comes at once.
import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";

export class TurnShare {
  readonly #mostMs: number;
  readonly #sockets = new Set<WebSocket>();
  #spentMs = 0;
  #isTurnAwaited = false;
  #isPaused = false;

  constructor(options: { readonly mostMs: number }) {
    this.#mostMs = options.mostMs;
  }

  /** The socket must be one of `ws`, and open. */
  watch(webSocket: WebSocket): void {
    // `ws` has no door to its socket; see connection.ts.
    const { _socket: socket } = webSocket as unknown as { readonly _socket?: Duplex | null };
    if (!socket || webSocket.readyState !== webSocket.OPEN) return;
    this.#sockets.add(webSocket);
    webSocket.once("close", () => this.#sockets.delete(webSocket));
    let beganAt = 0;
    // The first and the last of those who hear of a chunk: between them is all that its frames make us do.
    socket.prependListener("data", () => {
      beganAt = performance.now();
    });
    socket.on("data", () => this.#spend(performance.now() - beganAt + perChunkMs));
    if (this.#isPaused) webSocket.pause();
  }

  #spend(ms: number): void {
    this.#spentMs += ms;
    if (!this.#isTurnAwaited) {
      this.#isTurnAwaited = true;
      setImmediate(() => this.#nextTurn());
    }
    if (this.#spentMs < this.#mostMs || this.#isPaused) return;
    this.#isPaused = true;
    for (const webSocket of this.#sockets) webSocket.pause();
  }

  #nextTurn(): void {
    this.#isTurnAwaited = false;
    this.#spentMs = 0;
    if (!this.#isPaused) return;
    this.#isPaused = false;
    for (const webSocket of this.#sockets) webSocket.resume();
  }
}

/** The cost of decrypting a chunk and bringing it here, however small it is. */
const perChunkMs = 0.005;
