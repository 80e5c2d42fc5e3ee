// WebSockets of `ws` over pipes in memory. Nothing is left to a network's timing, so a recording is the same each time.
import { once } from "node:events";
import { createServer } from "node:http";
import { Duplex } from "node:stream";
import { linkPath, linkServerOptions, linkSocketOptions, linkSubprotocol } from "@fairlead/protocol";
import { WebSocket, WebSocketServer } from "ws";

export interface SocketPair {
  readonly dialler: WebSocket;
  readonly accepted: WebSocket;
}

/** Both ends of one open connection. `onActivity` is called for each chunk that moves. */
export async function openSocketPair(onActivity: () => void): Promise<SocketPair> {
  const near = new PipeEnd(onActivity);
  const far = new PipeEnd(onActivity);
  near.join(far);
  const http = createServer();
  const server = new WebSocketServer(linkServerOptions);
  const accepted = Promise.withResolvers<WebSocket>();
  http.on("upgrade", (request, socket, head) => server.handleUpgrade(request, socket, head, accepted.resolve));
  http.emit("connection", far);
  const dialler = new WebSocket(`ws://hub${linkPath}`, linkSubprotocol, {
    ...linkSocketOptions,
    createConnection: () => near as never,
  });
  await once(dialler, "open");
  return { dialler, accepted: await accepted.promise };
}

class PipeEnd extends Duplex {
  readonly #onActivity: () => void;
  #other: PipeEnd | undefined;

  constructor(onActivity: () => void) {
    super();
    this.#onActivity = onActivity;
  }

  join(other: PipeEnd): void {
    this.#other = other;
    other.#other = this;
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    // `ws` and the link reuse their buffers once a write is done.
    this.#bring(Buffer.from(chunk));
    done();
  }

  override _final(done: () => void): void {
    this.#bring(null);
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#bring(null);
    done(error);
  }

  #bring(chunk: Buffer | null): void {
    this.#onActivity();
    const other = this.#other;
    setImmediate(() => {
      if (other === undefined || other.readableEnded || other.destroyed || other.#isAtEnd) return;
      other.#isAtEnd = chunk === null;
      other.push(chunk);
    });
  }

  #isAtEnd = false;
}
