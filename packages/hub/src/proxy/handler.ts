// `/k8s/clusters/NAME/…`: who asks, for which cluster, over which link; then the exchange runs by itself.
import { type IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type FairleadError, isFairleadError, toFairleadError } from "@fairlead/kernel";
import { readRequestAttributes } from "@fairlead/kube";
import { type CallerIdentity, type LinkStream, MeteredStream, type OpenHead, toLoggablePath } from "@fairlead/protocol";
import { createCounters, increment, type ProxyCounters } from "./counters.ts";
import { describeDenial } from "./denial.ts";
import {
  accessDenied,
  clusterNotConnected,
  clusterUnknown,
  linkBusy,
  pathAmbiguous,
  pathUnknown,
  upgradeUnsupported,
} from "./errors.ts";
import { Exchange } from "./exchange.ts";
import { bearerOf, passRequestHeaders, passUpgradeHeaders } from "./headers.ts";
import type { Caller, FinishedRequest, ProxyLimits, ProxyPorts } from "./ports.ts";
import { readRequestId } from "./request-id.ts";
import { Splice } from "./splice.ts";
import { sendStatus } from "./status.ts";
import { clustersPrefix, isDiscovery, isLongRunning, isWatch, readTarget } from "./target.ts";

export interface ClusterProxy {
  /** Whether the URL is the proxy's; everything else is the API's. */
  matches(url: string | undefined): boolean;
  /** For `request` and, with `expectsContinue`, for `checkContinue`. */
  handleRequest(req: IncomingMessage, res: ServerResponse, options?: { readonly expectsContinue: boolean }): void;
  handleUpgrade(req: IncomingMessage, socket: Socket, head: Buffer): void;
  /** Ends the watches in flight, so that a stopping hub waits only for what ends by itself. */
  endWatches(): void;
  readonly counters: ProxyCounters;
}

export function createClusterProxy(ports: ProxyPorts, limits: ProxyLimits): ClusterProxy {
  const counters = createCounters();
  const watches = new Set<Exchange>();
  return { matches, handleRequest, handleUpgrade, endWatches, counters };

  function endWatches(): void {
    for (const watch of watches) watch.endWatch();
  }

  function matches(url: string | undefined): boolean {
    return url?.startsWith(clustersPrefix) === true;
  }

  function handleRequest(req: IncomingMessage, res: ServerResponse, options?: { expectsContinue: boolean }): void {
    const requestId = readRequestId(req.headers["x-request-id"]);
    const target = readTarget(req.url ?? "");
    const call: Call = { req, requestId, target, isUpgrade: false, metered: undefined };
    afterAuthentication(req.headers.authorization, proceed, refuse);

    function proceed(principal: Caller): void {
      if (res.destroyed) return;
      if (!target) {
        refuse(pathUnknown());
        return;
      }
      const cluster = target.cluster;
      if (!ports.exists(cluster)) {
        refuse(clusterUnknown(cluster));
        return;
      }
      let identity: CallerIdentity;
      try {
        identity = authorize(req, principal, cluster, target.path);
      } catch (thrown) {
        refuse(thrown);
        return;
      }
      const exchange: Exchange = new Exchange({
        req,
        res,
        requestId,
        cluster,
        warn: isDiscovery(target.path),
        onDone(status, error) {
          counters.active -= 1;
          watches.delete(exchange);
          finish(call, status, error);
        },
      });
      call.metered = new MeteredStream();
      call.metered.bind({ handlers: exchange });
      counters.active += 1;
      if (isWatch(target.path)) watches.add(exchange);
      const open: OpenHead = {
        target: "kubernetes",
        method: req.method ?? "GET",
        path: target.path,
        headers: passRequestHeaders(req.rawHeaders, req.headers.connection, requestId),
        upgrade: false,
        requestId,
        deadlineMs: isLongRunning(target.path) ? limits.longHeadDeadlineMs : limits.headDeadlineMs,
        identity,
      };
      let stream: LinkStream;
      try {
        stream = openStream(cluster, open, call.metered);
      } catch (thrown) {
        if (options?.expectsContinue) res.shouldKeepAlive = false;
        exchange.fail(thrown);
        return;
      }
      if (options?.expectsContinue) res.writeContinue();
      exchange.begin(stream);
    }

    function refuse(thrown: unknown): void {
      const error = toFairleadError(thrown);
      finish(call, error.httpStatus, error);
      if (res.destroyed) return;
      const warn = target !== undefined && isDiscovery(target.path);
      sendStatus(req, res, error, { requestId, warn, close: options?.expectsContinue });
    }
  }

  function handleUpgrade(req: IncomingMessage, socket: Socket, head: Buffer): void {
    // Node has taken its own listeners off: an error nobody listens to would end the process.
    socket.on("error", () => socket.destroy());
    const requestId = readRequestId(req.headers["x-request-id"]);
    const target = readTarget(req.url ?? "");
    const call: Call = { req, requestId, target, isUpgrade: true, metered: undefined };
    afterAuthentication(bearerOf(req.headers), proceed, refuse);

    function proceed(principal: Caller): void {
      if (socket.destroyed) return;
      if (!target) {
        refuse(pathUnknown());
        return;
      }
      const cluster = target.cluster;
      if (!isSupported(req)) {
        refuse(upgradeUnsupported());
        return;
      }
      if (!ports.exists(cluster)) {
        refuse(clusterUnknown(cluster));
        return;
      }
      let identity: CallerIdentity;
      try {
        identity = authorize(req, principal, cluster, target.path);
      } catch (thrown) {
        refuse(thrown);
        return;
      }
      const splice = new Splice({ req, socket, head, requestId, cluster, onDone });
      call.metered = new MeteredStream();
      call.metered.bind({ handlers: splice });
      counters.activeUpgrades += 1;
      const { connection, upgrade = "" } = req.headers;
      const open: OpenHead = {
        target: "kubernetes",
        method: req.method ?? "GET",
        path: target.path,
        headers: passUpgradeHeaders(req.rawHeaders, { connection, upgrade, requestId }),
        upgrade: true,
        requestId,
        deadlineMs: limits.headDeadlineMs,
        identity,
      };
      let stream: LinkStream;
      try {
        stream = openStream(cluster, open, call.metered);
      } catch (thrown) {
        splice.fail(thrown);
        return;
      }
      splice.begin(stream);
    }

    function onDone(status: number | undefined, error: FairleadError | undefined): void {
      counters.activeUpgrades -= 1;
      finish(call, status, error);
    }

    function refuse(thrown: unknown): void {
      const error = toFairleadError(thrown);
      finish(call, error.httpStatus, error);
      refuseUpgrade(req, socket, error, requestId);
    }
  }

  // Synchronous whenever the answer is: a promise for each request would cost more than the look-up.
  function afterAuthentication(
    authorization: string | undefined,
    proceed: (principal: Caller) => void,
    refuse: (thrown: unknown) => void,
  ): void {
    let pending: Caller | Promise<Caller>;
    try {
      pending = ports.access.authenticate(authorization);
    } catch (thrown) {
      refuse(thrown);
      return;
    }
    if (pending instanceof Promise) void pending.then(proceed).catch(refuse);
    else proceed(pending);
  }

  /** Throws what the caller is told when the hub's policy doesn't allow it. */
  function authorize(req: IncomingMessage, principal: Caller, cluster: string, path: string): CallerIdentity {
    const attributes = readRequestAttributes({ method: req.method ?? "GET", path });
    if (!attributes) throw pathAmbiguous();
    const decision = ports.access.authorize({ principal, cluster, attributes });
    if (!decision.allowed) throw accessDenied(describeDenial({ principal, cluster, attributes, ...decision }));
    return { ...decision.identity, remoteAddress: req.socket.remoteAddress };
  }

  function openStream(cluster: string, open: OpenHead, metered: MeteredStream): LinkStream {
    let cause: unknown;
    for (const { link } of ports.connections(cluster)) {
      try {
        metered.bind({ stream: link.openStream(open, metered) });
        return metered;
      } catch (thrown) {
        // A head that is too large, say, is so on every link.
        if (!isFairleadError(thrown) || !thrown.retryable) throw thrown;
        cause = thrown;
      }
    }
    throw cause === undefined || isGone(cause)
      ? clusterNotConnected(cluster, ports.absence(cluster))
      : linkBusy(cluster, cause);
  }

  function finish(call: Call, status: number | undefined, error: FairleadError | undefined): void {
    if (status !== undefined) increment(counters.byStatus, status);
    if (error) increment(counters.byErrorCode, error.code);
    const { requestLog } = ports;
    if (requestLog && (error || call.isUpgrade || requestLog.isVerbose))
      requestLog.write(describe(call, status, error));
  }
}

/** A request on its way, as the log wants to know it at the end. */
interface Call {
  readonly req: IncomingMessage;
  readonly requestId: string;
  readonly target: { readonly cluster: string; readonly path: string } | undefined;
  readonly isUpgrade: boolean;
  /** Once there is a cluster to ask. */
  metered: MeteredStream | undefined;
}

function describe(call: Call, status: number | undefined, error: FairleadError | undefined): FinishedRequest {
  const { req, requestId, target, isUpgrade, metered } = call;
  return {
    requestId,
    cluster: target?.cluster ?? "",
    method: req.method ?? "",
    path: toLoggablePath(target?.path ?? req.url ?? ""),
    isUpgrade,
    status,
    bytesToCluster: metered?.sentBytes ?? 0,
    bytesFromCluster: metered?.receivedBytes ?? 0,
    durationMs: metered ? Math.round(performance.now() - metered.startedMs) : 0,
    error,
  };
}

/** Refuses an upgrade outside of any stream; the connection closes behind the answer. */
function refuseUpgrade(req: IncomingMessage, socket: Socket, error: FairleadError, requestId: string): void {
  if (socket.destroyed) return;
  const res = new ServerResponse(req);
  res.shouldKeepAlive = false;
  res.assignSocket(socket);
  res.once("finish", () => socket.destroySoon());
  sendStatus(req, res, error, { requestId });
}

// Only the two that Kubernetes speaks: any other token (h2c, say) would tunnel past the rules of this proxy (k8s #72112).
function isSupported(req: IncomingMessage): boolean {
  const { upgrade, "content-length": length = "0", "transfer-encoding": encoding } = req.headers;
  return (
    upgrade !== undefined && /^(?:websocket|spdy\/3\.1)$/i.test(upgrade) && length === "0" && encoding === undefined
  );
}

/** The link is going, and the registry is about to hear of it. */
function isGone(cause: unknown): boolean {
  return isFairleadError(cause) && (cause.code === "LINK_CLOSED" || cause.code === "LINK_GOING_AWAY");
}
