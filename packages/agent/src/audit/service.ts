// Writes a line of JSON to standard output for each request for the cluster's API server, whatever the log's level, and
// another at the start of what may take long. The id is the one that the hub's records and the API server's own audit
// log have.

import type { Clock, FairleadError } from "@fairlead/kernel";
import { isLasting, type RequestAttributes, readRequestAttributes } from "@fairlead/kube";
import { type LinkStream, MeteredStream, type StreamAcceptor } from "@fairlead/protocol";
import type { Logger } from "pino";
import { policyErrors } from "../policy/index.ts";
import { describeRequest, type RequestRecord } from "./record.ts";

export interface AuditLog {
  /** Records what begins and counts what passes on the acceptor's streams. */
  meter(accept: StreamAcceptor): StreamAcceptor;
  /** For the acceptor to call when a stream is over. */
  finished(stream: LinkStream, outcome: FinishedRequest): void;
}

export interface FinishedRequest {
  readonly status: number;
  readonly error: FairleadError | undefined;
  /** As the acceptor read them, if it did. */
  readonly attributes?: RequestAttributes | undefined;
}

export interface AuditOutput {
  write(line: string): unknown;
}

export function createAuditLog(options: {
  readonly output: AuditOutput;
  readonly clock: Clock;
  /** Gets the causes of failures, which the records don't have. */
  readonly log: Logger;
  readonly cluster: () => string | undefined;
}): AuditLog {
  const { output, clock, log, cluster } = options;
  const failed = new WeakSet<LinkStream>();
  return { meter, finished };

  function meter(accept: StreamAcceptor): StreamAcceptor {
    return (stream) => {
      const metered = new MeteredStream();
      metered.bind({ stream });
      metered.bind({ handlers: accept(metered) });
      // A refused request is over by now, and never began.
      if (!failed.has(metered) && isLong(stream)) write("start", stream, {});
      return metered;
    };
  }

  function finished(stream: LinkStream, { status, error, attributes }: FinishedRequest): void {
    if (error) {
      failed.add(stream);
      log.warn({ requestId: stream.open.requestId, status, err: error }, "request failed");
    }
    const metered = stream instanceof MeteredStream ? stream : undefined;
    const outcome: Partial<RequestRecord> = {
      // The agent's own answer isn't the API server's.
      status: status === 0 ? error?.httpStatus : status,
      code: error?.code,
      reason: error?.message,
      rule: error && ruleOf(error),
      bytesToCluster: metered?.receivedBytes,
      bytesFromCluster: metered?.sentBytes,
      durationMs: metered && Math.round((performance.now() - metered.startedMs) * 10) / 10,
    };
    write("end", stream, outcome, attributes);
  }

  function write(
    phase: "start" | "end",
    { open }: LinkStream,
    outcome: Partial<RequestRecord>,
    attributes = readRequestAttributes(open),
  ): void {
    const time = new Date(clock.now()).toISOString();
    const record = describeRequest({ phase, time, cluster: cluster(), open, attributes, outcome });
    output.write(`${JSON.stringify(record)}\n`);
  }
}

function isLong({ open }: LinkStream): boolean {
  if (open.upgrade) return true;
  // Nearly all requests are neither, and reading them whole costs more than this look.
  return /watch|\/log|%/.test(open.path) && isLasting(readRequestAttributes(open), open.path);
}

function ruleOf(error: FairleadError): string | undefined {
  return policyErrors.is(error, "POLICY_DENIED") ? /\(rule ([^)]+)\)/.exec(error.message)?.[1] : undefined;
}
