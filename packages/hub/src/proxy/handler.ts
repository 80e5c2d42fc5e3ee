// `/k8s/clusters/NAME/…`: a request is admitted, opens a stream, and the exchange (or, after an upgrade, the splice)
// runs by itself. Whatever becomes of it ends here once more, with its records.
import { type IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type FairleadError, toFairleadError } from "@fairlead/kernel";
import { type OpenHead, resetCodes } from "@fairlead/protocol";
import type { SessionTap } from "../recordings/index.ts";
import { admit, isOddlyEncoded } from "./admission.ts";
import { type AdmittedCall, type Call, createCall, describeEnd, describeForLog, describeStart } from "./call.ts";
import { createCounters, increment, type ProxyCounters } from "./counters.ts";
import { recordingUnavailable } from "./errors.ts";
import { clientGone, Exchange, hasBody } from "./exchange.ts";
import { bearerOf, passRequestHeaders, passUpgradeHeaders } from "./headers.ts";
import { judgeAgain } from "./live-calls.ts";
import { openStream } from "./open-stream.ts";
import type { ProxyLimits, ProxyPorts } from "./ports.ts";
import { Splice } from "./splice.ts";
import { sendStatus } from "./status.ts";
import { clustersPrefix, isDiscovery } from "./target.ts";

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
  const live = new Map<AdmittedCall, Exchange | Splice>();
  const { returnMs = 5_000 } = limits;
  ports.access.onChanged?.(() => judgeAgain(live, ports.access));
  return { matches, handleRequest, handleUpgrade, endWatches, counters };

  function endWatches(): void {
    for (const [call, running] of live) {
      if (running instanceof Exchange && call.attributes.verb === "watch") running.endWatch();
    }
  }

  function matches(url: string | undefined): boolean {
    return url?.startsWith(clustersPrefix) === true;
  }

  function handleRequest(req: IncomingMessage, res: ServerResponse, options?: { expectsContinue: boolean }): void {
    const call = createCall(req, false);
    const warn = call.target !== undefined && isDiscovery(call.target.path);
    admit({ call, authorization: req.headers.authorization, ports, proceed, refuse });

    function proceed(admitted: AdmittedCall): void {
      if (res.destroyed) {
        finish(call, undefined, clientGone);
        return;
      }
      const { requestId, target } = admitted;
      const { remoteAddress } = admitted.identity;
      const withBody = hasBody(req);
      const headDeadlineMs = headDeadlineOf(admitted);
      let mayRetry = !withBody && (req.method === "GET" || req.method === "HEAD");
      const open: OpenHead = {
        ...openHeadOf(admitted),
        headers: passRequestHeaders(req.rawHeaders, req.headers.connection, requestId, remoteAddress),
        upgrade: false,
        // With a body the answer's time runs from the body's end, by the exchange's clock.
        deadlineMs: withBody ? uploadMs : headDeadlineMs,
      };
      const exchange: Exchange = new Exchange({
        req,
        res,
        requestId,
        cluster: target.cluster,
        warn,
        lease: call.lease,
        stalledMs: headDeadlineMs,
        retry(code) {
          if (!mayRetry || !retried.has(code)) return false;
          mayRetry = false;
          start();
          return true;
        },
        onDone(status, error) {
          counters.active -= 1;
          live.delete(admitted);
          finish(call, status, error);
        },
      });
      counters.active += 1;
      live.set(admitted, exchange);
      whenRecorded(admitted, exchange, start);

      function start(): void {
        openStream({
          ...{ call: admitted, open, user: exchange, ports, returnMs },
          onOpened: options?.expectsContinue ? () => res.writeContinue() : undefined,
        });
      }
    }

    function refuse(thrown: unknown): void {
      const error = toFairleadError(thrown);
      recordRefusal(call);
      finish(call, error.httpStatus, error);
      if (!res.destroyed) {
        const close = options?.expectsContinue === true || isOddlyEncoded(req);
        sendStatus(req, res, error, { requestId: call.requestId, warn, close });
      }
    }
  }

  function handleUpgrade(req: IncomingMessage, socket: Socket, head: Buffer): void {
    // Node has taken its own listeners off: an error nobody listens to would end the process.
    socket.on("error", () => socket.destroy());
    const call = createCall(req, true);
    admit({ call, authorization: bearerOf(req.headers), ports, proceed, refuse });

    function proceed(admitted: AdmittedCall): void {
      if (socket.destroyed) {
        finish(call, undefined, clientGone);
        return;
      }
      const { requestId, target, isRecorded } = admitted;
      const { remoteAddress } = admitted.identity;
      const { connection, upgrade = "" } = req.headers;
      const splice = new Splice({
        req,
        socket,
        head,
        requestId,
        cluster: target.cluster,
        lease: call.lease,
        record: isRecorded ? (subprotocol) => startRecording(admitted, subprotocol) : undefined,
        onDone(status, error) {
          counters.activeUpgrades -= 1;
          live.delete(admitted);
          finish(call, status, error);
        },
      });
      const open: OpenHead = {
        ...openHeadOf(admitted),
        headers: passUpgradeHeaders(req.rawHeaders, { connection, upgrade, requestId, remoteAddress }),
        upgrade: true,
        deadlineMs: limits.headDeadlineMs,
      };
      counters.activeUpgrades += 1;
      live.set(admitted, splice);
      whenRecorded(admitted, splice, () => openStream({ call: admitted, open, user: splice, ports, returnMs }));
    }

    function refuse(thrown: unknown): void {
      const error = toFairleadError(thrown);
      recordRefusal(call);
      finish(call, error.httpStatus, error);
      refuseUpgrade(req, socket, error, call.requestId);
    }
  }

  /** A change goes on once it is on disk that it was asked for. */
  function whenRecorded({ trail }: AdmittedCall, running: Exchange | Splice, go: () => void): void {
    if (!trail?.begun) {
      go();
      return;
    }
    trail.begun.then(
      () => {
        if (!running.isOver) go();
      },
      (thrown: unknown) => running.fail(toFairleadError(thrown)),
    );
  }

  function headDeadlineOf({ attributes }: AdmittedCall): number {
    const isLate = attributes.verb === "watch" || lateSubresources.has(attributes.subresource);
    return isLate ? limits.longHeadDeadlineMs : limits.headDeadlineMs;
  }

  function startRecording(call: AdmittedCall, subprotocol: string | undefined): SessionTap {
    if (!ports.recordings) throw recordingUnavailable();
    const { requestId, principal, target, attributes, req } = call;
    const at = target.path.indexOf("?");
    return ports.recordings.start({
      requestId,
      at: Date.now(),
      principal,
      cluster: target.cluster,
      attributes,
      upgrade: /^websocket$/i.test(req.headers.upgrade ?? "") ? "websocket" : "spdy/3.1",
      subprotocol,
      query: at < 0 ? "" : target.path.slice(at + 1),
    });
  }

  /** What was refused is recorded too; a refusal stands whether or not its record can be kept. */
  function recordRefusal(call: Call): void {
    try {
      call.trail ??= ports.audit?.begin(describeStart(call));
    } catch {
      // Nothing was let through.
    }
  }

  function finish(call: Call, status: number | undefined, error: FairleadError | undefined): void {
    if (call.isOver) return;
    call.isOver = true;
    call.lease?.release();
    call.trail?.end(describeEnd(call, status, error));
    if (status !== undefined) increment(counters.byStatus, status);
    if (error) increment(counters.byErrorCode, error.code);
    const { requestLog } = ports;
    if (requestLog && (error || call.isUpgrade || requestLog.isVerbose)) {
      requestLog.write(describeForLog(call, status, error));
    }
  }
}

function openHeadOf({ req, requestId, target, identity }: AdmittedCall) {
  return { target: "kubernetes" as const, method: req.method ?? "GET", path: target.path, requestId, identity };
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

/** Nothing was done by these, or nothing that a second reading could change. */
const retried: ReadonlySet<number> = new Set([resetCodes.linkLost, resetCodes.goingAway, resetCodes.refused]);
/** What a pod, a service or a log has to say may begin late. */
const lateSubresources = new Set(["log", "exec", "attach", "portforward", "proxy"]);
/** As long as a stream's head may take at most; stalling is noticed long before. */
const uploadMs = 86_400_000;
