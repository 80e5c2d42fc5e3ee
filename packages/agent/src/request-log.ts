// One line per request for the cluster's API server, under the id that the hub's log and the API server's audit log have.
import type { FairleadError } from "@fairlead/kernel";
import { type LinkStream, MeteredStream, type StreamAcceptor, toLoggablePath } from "@fairlead/protocol";
import type { Logger } from "pino";

export interface RequestLog {
  /** Counts what passes on the acceptor's streams. */
  meter(accept: StreamAcceptor): StreamAcceptor;
  /** For the acceptor to call when a stream is over. */
  finished(stream: LinkStream, outcome: { status: number; error: FairleadError | undefined }): void;
}

export function createRequestLog(options: { log: Logger; cluster: () => string | undefined }): RequestLog {
  const { log, cluster } = options;
  const isVerbose = log.isLevelEnabled("debug");
  return { meter, finished };

  function meter(accept: StreamAcceptor): StreamAcceptor {
    return (stream) => {
      const metered = new MeteredStream();
      metered.bind({ stream });
      metered.bind({ handlers: accept(metered) });
      return metered;
    };
  }

  function finished(stream: LinkStream, { status, error }: { status: number; error: FairleadError | undefined }): void {
    const { method, path, requestId, upgrade: isUpgrade } = stream.open;
    if (!error && !isUpgrade && !isVerbose) return;
    const fields = {
      requestId,
      cluster: cluster(),
      method,
      path: toLoggablePath(path),
      isUpgrade,
      status,
      ...(stream instanceof MeteredStream ? describeTraffic(stream) : {}),
    };
    if (error) log.warn({ ...fields, err: error }, "request failed");
    else if (isUpgrade) log.info(fields, "upgraded connection ended");
    else log.debug(fields, "request ended");
  }
}

function describeTraffic(stream: MeteredStream): object {
  return {
    bytesToCluster: stream.receivedBytes,
    bytesFromCluster: stream.sentBytes,
    durationMs: Math.round(performance.now() - stream.startedMs),
  };
}
