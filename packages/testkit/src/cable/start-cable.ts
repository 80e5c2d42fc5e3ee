// A TCP relay on loopback that stands for the network between two parts, for tests that make it fail.
import { connect, createServer, type Socket } from "node:net";
import { createConditions } from "./conditions.ts";
import { joinSockets } from "./join-sockets.ts";

export interface Cable extends AsyncDisposable {
  /** The address to connect to instead of the real one. It stays the same through cuts. */
  readonly host: "127.0.0.1";
  readonly port: number;
  /** Open now. */
  readonly connectionCount: number;
  /** Ever accepted, including those turned away while cut. */
  readonly totalConnectionCount: number;
  /** Delivered to the far end, and back from it. */
  readonly bytes: { readonly up: number; readonly down: number };
  /** Resets all connections, and every new one, until healed. */
  cut(): void;
  /** Keeps connections open and accepts new ones, but nothing passes, not even an end, until healed. */
  blackhole(): void;
  /** Half of it each way. Keeps what is throttled. */
  delay(options: { rttMs: number }): void;
  /** Each way, for all connections together. Keeps the delay. */
  throttle(options: { bytesPerSecond: number }): void;
  /** Makes it a whole, fast cable again. Bytes that were held back arrive. */
  heal(): void;
}

export async function startCable(options: {
  to: { host?: string; port: number };
  /** The bytes that may be under way each way on one connection; 4 MiB unless told. */
  windowBytes?: number;
}): Promise<Cable> {
  const { host: targetHost = "127.0.0.1", port: targetPort } = options.to;
  const conditions = createConditions(options.windowBytes);
  const open = new Set<Socket>();
  const bytes = { up: 0, down: 0 };
  let totalConnectionCount = 0;

  const server = createServer({ allowHalfOpen: true }, (near) => {
    totalConnectionCount++;
    near.on("error", () => {});
    if (conditions.isCut) return void near.resetAndDestroy();
    const far = connect({ host: targetHost, port: targetPort, allowHalfOpen: true });
    for (const socket of [near, far]) {
      socket.setNoDelay(true);
      open.add(socket);
      socket.once("close", () => open.delete(socket));
    }
    joinSockets({ near, far, conditions, bytes });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  const resetAll = () => {
    for (const socket of open) socket.resetAndDestroy();
  };

  return {
    host: "127.0.0.1",
    port: address !== null && typeof address === "object" ? address.port : 0,
    get connectionCount() {
      return open.size / 2;
    },
    get totalConnectionCount() {
      return totalConnectionCount;
    },
    bytes,
    cut() {
      conditions.change({ isCut: true });
      resetAll();
    },
    blackhole: () => conditions.change({ isCut: false, isBlackhole: true }),
    delay: ({ rttMs }) => conditions.change({ delayMs: rttMs / 2 }),
    throttle: ({ bytesPerSecond }) => conditions.change({ bytesPerSecond }),
    heal: () => conditions.change({ isCut: false, isBlackhole: false, delayMs: 0, bytesPerSecond: Infinity }),
    async [Symbol.asyncDispose]() {
      resetAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
