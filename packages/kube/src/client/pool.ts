// Connections to one API server, for proxying and for our own requests. HTTP/1.1 only: upgrades need it, and a
// connection per request in flight keeps a slow reader from delaying others.
import { createSecureContext } from "node:tls";
import type { Dispatcher, Pool as UndiciPool } from "undici";
import type { ClusterAccess } from "../access/index.ts";
import { createLiveness, type LivenessOptions } from "./liveness.ts";
import { buildConnector, Pool } from "./undici.ts";

export interface KubePool extends AsyncDisposable {
  readonly access: ClusterAccess;
  /** Path prefix of the server URL (without a trailing slash), which every path is put behind. */
  readonly basePath: string;
  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void;
  /** For requests with `upgrade`: the connection leaves the pool, and half-closing it works. */
  dispatchUpgrade(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void;
  /** Calls back each few seconds that the API server answers while connections are open; returns the way to end that. */
  onAnswer(listener: () => void): () => void;
  /** Connections in use and idle, for metrics. */
  stats(): KubePoolStats;
}

export interface KubePoolStats {
  readonly connected: number;
  readonly free: number;
  readonly running: number;
  /** Looks after the API server that got no answer, and connections given up because of it, since the start. */
  readonly failedProbes: number;
  readonly cutConnections: number;
}

export function createKubePool(options: {
  access: ClusterAccess;
  connectTimeoutMs?: number;
  liveness?: Partial<LivenessOptions>;
}): KubePool {
  const { access, connectTimeoutMs = 10_000 } = options;
  const tls = {
    // All connections share a context: parsing the certificates anew for each costs more than its handshake.
    secureContext: createSecureContext({
      ...(access.ca !== undefined && { ca: access.ca }),
      ...(access.cert !== undefined && { cert: access.cert }),
      ...(access.key !== undefined && { key: access.key }),
    }),
    ...(access.tlsServerName !== undefined && { servername: access.tlsServerName }),
    rejectUnauthorized: !access.insecureSkipTlsVerify,
    timeout: connectTimeoutMs,
    allowH2: false,
    // Finds a connection whose other end is gone while nothing is on its way: Linux asks ten times, a second apart.
    keepAliveInitialDelay: 10_000,
  };
  const common: UndiciPool.Options = {
    connections: null,
    pipelining: 1,
    allowH2: false,
    // API servers close idle connections after 90 s; we let go first, so that no request meets a closing one.
    keepAliveTimeout: 60_000,
    keepAliveMaxTimeout: 60_000,
    // A watch may be silent for as long as it likes; who opened a request says how long a head may take.
    headersTimeout: 0,
    bodyTimeout: 0,
    // The hub passes on no more of an answer's head.
    maxHeaderSize: 1_048_576 + 65_536,
  };
  const { origin } = access.server;
  const basePath = access.server.pathname.replace(/\/+$/, "");
  const liveness = createLiveness({
    origin,
    path: `${basePath}/livez/ping`,
    connect: buildConnector(tls),
    limits: options.liveness,
  });
  const connect = liveness.watch(buildConnector(tls));
  const requests = new Pool(origin, { ...common, connect });
  // A pool looks through its busy connections for a free one: the long-lived ones are kept out of the others' way.
  const watches = new Pool(origin, { ...common, connect });
  const halfOpen = liveness.watch(buildConnector({ ...tls, allowHalfOpen: true }));
  const upgrades = new Pool(origin, { ...common, connect: halfOpen });
  return {
    access,
    basePath,
    dispatch(dispatchOptions, handler) {
      const pool = longLived.test(dispatchOptions.path) ? watches : requests;
      pool.dispatch(dispatchOptions, handler);
    },
    dispatchUpgrade(dispatchOptions, handler) {
      upgrades.dispatch(dispatchOptions, handler);
    },
    onAnswer: (listener) => liveness.onAnswer(listener),
    stats() {
      const all = [requests.stats, watches.stats, upgrades.stats];
      return {
        connected: all.reduce((sum, { connected }) => sum + connected, 0),
        free: all.reduce((sum, { free }) => sum + free, 0),
        running: all.reduce((sum, { running }) => sum + running, 0),
        ...liveness.stats,
      };
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([liveness.dispose(), requests.destroy(), watches.destroy(), upgrades.destroy()]);
    },
  };
}

const longLived = /[?&](?:watch|follow)=(?:1|true)\b/;
