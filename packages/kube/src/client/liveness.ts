// Notices that the way to the API server is dead though its connections look open: a firewall that forgot them, a host
// that is gone, a server that hangs. TCP would take a quarter of an hour, and a silent watch can't be asked on its own
// connection. So a small request goes out every few seconds on a connection of its own, and when two in a row get no
// answer, the second on a fresh connection, whatever carried no byte since the first is cut: its requests end in an
// error, and whoever made them asks again. Connections on which bytes arrive are left alone, and so are all of them while
// anything answers, were it with an error. Beside this the system's own keepalive finds single dead connections.
import type { Socket } from "node:net";
import { type Clock, systemClock } from "@fairlead/kernel";
import type { buildConnector } from "undici";
import { ResponseReceiver } from "./response-receiver.ts";
import { Client } from "./undici.ts";

export interface LivenessOptions {
  /** From the end of one probe to the next. */
  readonly intervalMs: number;
  /** How long one may take. */
  readonly timeoutMs: number;
}

export interface Liveness {
  /** The same connector, whose connections are watched from then on. */
  watch(connect: buildConnector.connector): buildConnector.connector;
  /** Calls back each time that a probe is answered, and not with a server's error; returns the way to end that. */
  onAnswer(listener: () => void): () => void;
  readonly stats: LivenessStats;
  dispose(): Promise<void>;
}

export interface LivenessStats {
  failedProbes: number;
  cutConnections: number;
}

export function createLiveness(options: {
  readonly origin: string;
  readonly path: string;
  /** For the probe's own connection. */
  readonly connect: buildConnector.connector;
  readonly clock?: Clock | undefined;
  readonly limits?: Partial<LivenessOptions> | undefined;
}): Liveness {
  const { origin, path, connect, clock = systemClock } = options;
  const { intervalMs, timeoutMs } = { ...defaults, ...options.limits };
  const sockets = new Set<Socket>();
  const listeners = new Set<() => void>();
  const stats = { failedProbes: 0, cutConnections: 0 };
  let client: Client | undefined;
  let cancel: (() => void) | undefined;
  let isDisposed = false;
  /** Bytes that each connection had received when the first of the probes that failed in a row began. */
  let suspects = new Map<Socket, number>();
  let failures = 0;

  return {
    watch: (inner) => (wanted, callback) =>
      inner(wanted, (...outcome) => {
        const [, socket] = outcome;
        if (socket) add(socket);
        callback(...outcome);
      }),
    onAnswer(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    stats,
    async dispose() {
      isDisposed = true;
      cancel?.();
      await client?.destroy();
    },
  };

  function add(socket: Socket): void {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    schedule(intervalMs);
  }

  function schedule(delayMs: number): void {
    if (isDisposed || cancel) return;
    cancel = clock.after(delayMs, () => void probe().finally(next));
  }

  /** Probes go on while there is something to look after, and a suspicion is settled without a pause. */
  function next(): void {
    cancel = undefined;
    if (sockets.size > 0) schedule(failures === 1 ? Math.min(retryMs, intervalMs) : intervalMs);
    else failures = 0;
  }

  async function probe(): Promise<void> {
    if (failures === 0) suspects = new Map([...sockets].map((socket) => [socket, socket.bytesRead]));
    const status = await askInTime();
    if (status !== undefined) {
      failures = 0;
      if (status < 500) for (const listener of listeners) listener();
      return;
    }
    failures++;
    stats.failedProbes++;
    if (failures >= failuresToCut) cutSilent();
  }

  function cutSilent(): void {
    for (const [socket, bytesRead] of suspects) {
      if (socket.destroyed || socket.bytesRead !== bytesRead) continue;
      stats.cutConnections++;
      socket.destroy(new Error("the API server doesn't answer any more, on this connection or another"));
    }
    // Connections opened since get their own two chances.
    suspects = new Map([...sockets].map((socket) => [socket, socket.bytesRead]));
  }

  async function askInTime(): Promise<number | undefined> {
    client ??= new Client(origin, { connect, pipelining: 1, allowH2: false, keepAliveTimeout: keepAliveMs });
    const answer = ask(client).catch(() => undefined);
    let cancelTimeout = (): void => undefined;
    // Not by a signal: a request that still waits for its connection would look at it only when that is there.
    const timeout = new Promise<undefined>((resolve) => {
      cancelTimeout = clock.after(timeoutMs, () => resolve(undefined));
    });
    const status = await Promise.race([answer, timeout]);
    cancelTimeout();
    if (status !== undefined) return status;
    // The next one tries a fresh connection.
    void client.destroy().catch(() => undefined);
    client = undefined;
    return undefined;
  }

  async function ask(asked: Client): Promise<number> {
    const receiver = new ResponseReceiver();
    asked.dispatch({ method: "GET", path }, receiver);
    const status = await receiver.head;
    while (!receiver.hasEnded) if (!receiver.take()) await receiver.wait();
    return status;
  }
}

/** Found after 5 + 6 + 1 + 6 seconds at the latest, and a promise of 25 with room for a busy machine. */
const defaults: LivenessOptions = { intervalMs: 5_000, timeoutMs: 6_000 };
const retryMs = 1_000;
const failuresToCut = 2;
const keepAliveMs = 60_000;
