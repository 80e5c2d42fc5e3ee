// `/k8s/clusters/NAME/…`: a request is admitted, opens a stream, and the exchange (or, after an upgrade, the splice)
// runs by itself. Whatever becomes of it ends here once more, with its records.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type FairleadError, toFairleadError } from "@fairlead/kernel";
import { replaceTraceParent, type Span } from "@fairlead/kernel/tracing";
import { type MeteredStream, nodeHttp, type OpenHead } from "@fairlead/protocol";
import type { AuditTrail } from "../../people/audit/index.ts";
import type { SessionTap } from "../../people/recordings/index.ts";
import { admit, isOddlyEncoded } from "./admission.ts";
import { type Admission, type AdmittedCall, type Call, createCall, isLong, type RefusedCall } from "./call.ts";
import { countEnd, createCounters, increment, type ProxyCounters, trafficOf } from "./counters.ts";
import { describeEnd, describeForLog, describeStart, type Outcome } from "./describe-call.ts";
import { proxyErrors } from "./errors.ts";
import { clientGone, Exchange, hasBody } from "./exchange.ts";
import { bearerOf, dropAcceptEncoding, passRequestHeaders, passUpgradeHeaders } from "./headers.ts";
import { judgeAgain } from "./live-calls.ts";
import { openStream } from "./open-stream.ts";
import type { ProxyLimits, ProxyPorts } from "./ports.ts";
import { createResending, type RequestKind, sendAgain } from "./resending.ts";
import { Splice } from "./splice.ts";
import { sendStatus } from "./status.ts";
import { isForCluster, isRootDiscovery } from "./target.ts";
import { startCallSpan, toSpanResult } from "./trace-call.ts";

export interface ClusterProxy {
  /** True for requests of the proxy; everything else is the API's. */
  matches(req: IncomingMessage): boolean;
  /** Handles `request` and, with `expectsContinue`, `checkContinue`. */
  handleRequest(req: IncomingMessage, res: ServerResponse, options?: { readonly expectsContinue: boolean }): void;
  handleUpgrade(req: IncomingMessage, socket: Socket, head: Buffer): void;
  /** Ends the watches in flight, so that a stopping hub waits only for what ends by itself. */
  endWatches(): void;
  /** The cluster is gone, and with it what was counted of it. */
  forget(cluster: string): void;
  readonly counters: ProxyCounters;
}

export function createClusterProxy(ports: ProxyPorts, limits: ProxyLimits): ClusterProxy {
  const counters = createCounters();
  const live = new Map<AdmittedCall, Exchange | Splice>();
  const spans = new WeakMap<AdmittedCall, Span>();
  const { returnMs = 10_000 } = limits;
  const { clusterDomain, tracer } = ports;
  ports.access.onChanged?.(() => judgeAgain(live, ports.access));
  const forget = (cluster: string): void => void counters.byCluster.delete(cluster);
  return { matches, handleRequest, handleUpgrade, endWatches, forget, counters };

  function endWatches(): void {
    for (const [call, running] of live) {
      if (running instanceof Exchange && call.attributes.verb === "watch") running.endWatch();
    }
  }

  function matches({ url = "", headers: { host } }: IncomingMessage): boolean {
    return isForCluster({ url, host, clusterDomain });
  }

  function handleRequest(req: IncomingMessage, res: ServerResponse, options?: { expectsContinue: boolean }): void {
    const call = createCall(req, { isUpgrade: false, clusterDomain });
    const warn = call.target !== undefined && isRootDiscovery(call.target.path);
    decide({ call, authorization: req.headers.authorization, proceed, refuse });

    function proceed(admitted: AdmittedCall): void {
      if (res.destroyed) return void finish(admitted, { status: undefined, error: clientGone, passed: undefined });
      const { requestId, target, lease } = admitted;
      const { remoteAddress } = admitted.identity;
      const withBody = hasBody(req);
      const headDeadlineMs = headDeadlineOf(admitted);
      const isWatch = admitted.attributes.verb === "watch";
      const passedHeaders = passRequestHeaders(req.rawHeaders, req.headers.connection, requestId, remoteAddress);
      const headers = replaceTraceParent(passedHeaders, spans.get(admitted));
      let passed: MeteredStream | undefined;
      const open: OpenHead = {
        ...openHeadOf(admitted),
        // No event can be added to a packed stream, and API servers pack none.
        headers: isWatch ? dropAcceptEncoding(headers) : headers,
        upgrade: false,
        // The answer's time runs from the end of the body, if there is one, by the exchange's clock.
        deadlineMs: withBody ? uploadMs : headDeadlineMs,
      };
      const exchange: Exchange = new Exchange({
        req,
        res,
        requestId,
        target,
        mayBePage: target.prefix !== "" && admitted.attributes.subresource === "proxy",
        isWatch,
        warn,
        lease,
        stalledMs: headDeadlineMs,
        retry: sendAgain({
          resending: createResending({ kind: kindOf(req), patienceMs: returnMs }),
          start,
          isOver: () => exchange.isOver,
        }),
        onDone(status, error) {
          counters.active -= 1;
          live.delete(admitted);
          finish(admitted, { status, error, passed });
        },
      });
      counters.active += 1;
      live.set(admitted, exchange);
      whenRecorded(admitted, exchange, start);

      function start(): void {
        openStream({
          admitted,
          open,
          user: exchange,
          ports,
          returnMs,
          onOpened(stream) {
            passed = stream;
            if (options?.expectsContinue) res.writeContinue();
          },
        });
      }
    }

    function refuse({ known, error }: RefusedCall): void {
      if (res.destroyed) return;
      const close = options?.expectsContinue === true || isOddlyEncoded(req);
      sendStatus(req, res, error, { requestId: known.requestId, warn, close });
    }
  }

  function handleUpgrade(req: IncomingMessage, socket: Socket, head: Buffer): void {
    // Node has taken its own listeners off: an error nobody listens to would end the process.
    socket.on("error", () => socket.destroy());
    const call = createCall(req, { isUpgrade: true, clusterDomain });
    decide({ call, authorization: bearerOf(req.headers), proceed, refuse });

    function proceed(admitted: AdmittedCall): void {
      if (socket.destroyed) return void finish(admitted, { status: undefined, error: clientGone, passed: undefined });
      const { requestId, target, isRecorded, lease } = admitted;
      const { remoteAddress } = admitted.identity;
      const { connection, upgrade = "" } = req.headers;
      let passed: MeteredStream | undefined;
      const splice: Splice = new Splice({
        req,
        socket,
        head,
        requestId,
        target,
        lease,
        // The far side of an exec acts as soon as it has the request, though it is a GET.
        retry: sendAgain({
          resending: createResending({ kind: "changing", patienceMs: returnMs }),
          start: () => start(),
          isOver: () => splice.isOver,
        }),
        record: isRecorded ? (subprotocol) => startRecording(admitted, subprotocol) : undefined,
        onDone(status, error) {
          counters.activeUpgrades -= 1;
          live.delete(admitted);
          finish(admitted, { status, error, passed });
        },
      });
      const open: OpenHead = {
        ...openHeadOf(admitted),
        headers: replaceTraceParent(
          passUpgradeHeaders(req.rawHeaders, { connection, upgrade, requestId, remoteAddress }),
          spans.get(admitted),
        ),
        upgrade: true,
        deadlineMs: limits.headDeadlineMs,
      };
      counters.activeUpgrades += 1;
      live.set(admitted, splice);
      const onOpened = (stream: MeteredStream): void => {
        passed = stream;
      };
      const start = (): void => openStream({ admitted, open, user: splice, ports, returnMs, onOpened });
      whenRecorded(admitted, splice, start);
    }

    function refuse({ known, error }: RefusedCall): void {
      refuseUpgrade(req, socket, error, known.requestId);
    }
  }

  /** A promise for each request would cost more than the look-up: only an unknown sign-in is waited for. */
  function decide(options: {
    readonly call: Call;
    readonly authorization: string | undefined;
    readonly proceed: (admitted: AdmittedCall) => void;
    readonly refuse: (refused: RefusedCall) => void;
  }): void {
    const { call, authorization, proceed, refuse } = options;
    const admission = admit({ call, authorization, ports });
    // A bug in the code below costs this connection, whose end is recorded like any other.
    if (admission instanceof Promise) admission.then(settle).catch(() => call.req.destroy());
    else settle(admission);

    function settle(settled: Admission): void {
      if (settled.is === "admitted") {
        trafficOf(counters, settled.target.cluster).active += 1;
        if (tracer) spans.set(settled, startCallSpan(tracer, settled));
        proceed(settled);
        return;
      }
      finish(settled, { status: settled.error.httpStatus, error: settled.error, passed: undefined });
      refuse(settled);
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

  function startRecording(admitted: AdmittedCall, subprotocol: string | undefined): SessionTap {
    if (!ports.recordings) throw proxyErrors.PROXY_RECORDING_UNAVAILABLE();
    const { requestId, principal, target, attributes } = admitted;
    const { req } = admitted.call;
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

  /** The one end of every call. */
  function finish(admission: Admission, outcome: Outcome): void {
    const { call } = admission;
    const { status, error } = outcome;
    if (admission.is === "admitted") {
      admission.lease?.release();
      const { attributes, target } = admission;
      const durationMs = isLong(call, attributes) ? undefined : performance.now() - call.startedMs;
      countEnd(counters.byCluster.get(target.cluster), { status, passed: outcome.passed, durationMs });
      spans.get(admission)?.end(toSpanResult(outcome));
    }
    trailOf(admission)?.end(describeEnd(call, outcome));
    if (status !== undefined) increment(counters.byStatus, status);
    if (error) increment(counters.byErrorCode, error.code);
    const { requestLog } = ports;
    if (requestLog && (error || call.isUpgrade || requestLog.isVerbose)) {
      const known = admission.is === "admitted" ? admission : admission.known;
      requestLog.write(describeForLog(call, known, outcome));
    }
  }

  /** Refusals are recorded too. They stand whether or not their record can be kept: nothing was let through. */
  function trailOf(admission: Admission): AuditTrail | undefined {
    if (admission.is === "admitted") return admission.trail;
    try {
      return ports.audit?.begin(describeStart(admission.call, admission.known));
    } catch {
      return undefined;
    }
  }
}

function openHeadOf({ call, requestId, target, identity }: AdmittedCall) {
  const method = call.req.method ?? "GET";
  return { target: "kubernetes" as const, method, path: target.path, requestId, identity };
}

function kindOf(req: IncomingMessage): RequestKind {
  if (hasBody(req)) return "uploading";
  return req.method === "GET" || req.method === "HEAD" ? "reading" : "changing";
}

/** Refuses an upgrade outside of any stream; the connection closes behind the answer. */
function refuseUpgrade(req: IncomingMessage, socket: Socket, error: FairleadError, requestId: string): void {
  if (socket.destroyed) return;
  const res = new nodeHttp.ServerResponse(req);
  res.shouldKeepAlive = false;
  res.assignSocket(socket);
  res.once("finish", () => socket.destroySoon());
  sendStatus(req, res, error, { requestId });
}

/** The answer of a pod, a service or a log may begin late. */
const lateSubresources = new Set(["log", "exec", "attach", "portforward", "proxy"]);
/** The longest time that a stream's head may take; stalling is noticed long before. */
const uploadMs = 86_400_000;
