// Connections to one API server, for proxying and for our own requests. HTTP/1.1 only: upgrades need it, and a
// connection per request in flight keeps a slow reader from delaying others.
import { createSecureContext } from "node:tls";
import { type Dispatcher, Pool } from "undici";
import type { ClusterAccess } from "./access.ts";

export interface KubePool extends AsyncDisposable {
  readonly access: ClusterAccess;
  /** Path prefix of the server URL (without a trailing slash), which every path is put behind. */
  readonly basePath: string;
  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void;
  /** For requests with `upgrade`: the connection leaves the pool, and half-closing it works. */
  dispatchUpgrade(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void;
  /** Connections in use and idle, for metrics. */
  stats(): { readonly connected: number; readonly free: number; readonly running: number };
}

export function createKubePool(options: { access: ClusterAccess; connectTimeoutMs?: number }): KubePool {
  const { access, connectTimeoutMs = 10_000 } = options;
  const tls = {
    // One context for all connections: parsing the certificates anew for each costs more than its handshake.
    secureContext: createSecureContext({
      ...(access.ca !== undefined && { ca: access.ca }),
      ...(access.cert !== undefined && { cert: access.cert }),
      ...(access.key !== undefined && { key: access.key }),
    }),
    ...(access.tlsServerName !== undefined && { servername: access.tlsServerName }),
    rejectUnauthorized: !access.insecureSkipTlsVerify,
    timeout: connectTimeoutMs,
    allowH2: false,
  };
  const common: Pool.Options = {
    connections: null,
    pipelining: 1,
    allowH2: false,
    // API servers close idle connections after 90 s; we let go first, so that no request meets a closing one.
    keepAliveTimeout: 60_000,
    keepAliveMaxTimeout: 60_000,
    // A watch may be silent for as long as it likes; who opened a request says how long a head may take.
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: 256 * 1024,
  };
  const requests = new Pool(access.server.origin, { ...common, connect: tls });
  // A pool looks through its busy connections for a free one: the long-lived ones are kept out of the others' way.
  const watches = new Pool(access.server.origin, { ...common, connect: tls });
  const upgrades = new Pool(access.server.origin, { ...common, connect: { ...tls, allowHalfOpen: true } });
  return {
    access,
    basePath: access.server.pathname.replace(/\/+$/, ""),
    dispatch(dispatchOptions, handler) {
      const pool = longLived.test(dispatchOptions.path) ? watches : requests;
      pool.dispatch(dispatchOptions, handler);
    },
    dispatchUpgrade(dispatchOptions, handler) {
      upgrades.dispatch(dispatchOptions, handler);
    },
    stats() {
      const all = [requests.stats, watches.stats, upgrades.stats];
      return {
        connected: all.reduce((sum, { connected }) => sum + connected, 0),
        free: all.reduce((sum, { free }) => sum + free, 0),
        running: all.reduce((sum, { running }) => sum + running, 0),
      };
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([requests.destroy(), watches.destroy(), upgrades.destroy()]);
    },
  };
}

const longLived = /[?&](?:watch|follow)=(?:1|true)\b/;
