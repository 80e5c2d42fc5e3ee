import type { Transport } from "@connectrpc/connect";
import type { UniversalClientRequest, UniversalClientResponse } from "@connectrpc/connect/protocol";
import { createTransport } from "@connectrpc/connect/protocol-connect";
import { createId } from "@fairlead/kernel";
import { type Link, type LinkStream, resetCodes } from "../link/index.ts";
import { BodyReader, BodyWriter } from "./body.ts";
import { toConnectError } from "./errors.ts";
import { fromRawHeaders, toRawHeaders } from "./headers.ts";

export interface LinkTransportOptions {
  readonly link: Pick<Link, "openStream">;
  /** For calls that name no timeout of their own: how long the answer's head may take. */
  readonly headTimeoutMs?: number;
}

/**
 * Typed calls to the other side of a link: unary and streaming, both ways at once. A streaming call that is left before
 * its end must be aborted by its signal: Connect doesn't tell a transport that a caller broke out of its loop.
 */
export function createLinkTransport(options: LinkTransportOptions): Transport {
  const { link, headTimeoutMs = 30_000 } = options;
  return createTransport({
    httpClient: (request) => call(link, request, headTimeoutMs),
    baseUrl,
    useBinaryFormat: true,
    interceptors: [],
    acceptCompression: [],
    sendCompression: null,
    compressMinBytes: 1024,
    readMaxBytes: maxMessageBytes,
    writeMaxBytes: maxMessageBytes,
  });
}

/** A message of a typed call; larger things are streamed. */
export const maxMessageBytes = 16_777_216;
export const baseUrl = "http://link";

function call(
  link: Pick<Link, "openStream">,
  request: UniversalClientRequest,
  headTimeoutMs: number,
): Promise<UniversalClientResponse> {
  const { signal } = request;
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const trailer = new Headers();
    const reader = new BodyReader({ onAbandoned: () => stream?.reset(resetCodes.cancelled) });
    const writer = new BodyWriter();
    let stream: LinkStream | undefined;
    try {
      stream = link.openStream(toOpen(request, headTimeoutMs), {
        onHead: ({ status, headers }) => resolve({ status, header: fromRawHeaders(headers), body: reader, trailer }),
        onData: (chunk) => reader.push(chunk),
        onEnd: (trailers) => {
          fromRawHeaders(trailers).forEach((value, name) => {
            trailer.append(name, value);
          });
          finish();
          reader.end();
          // The answer is whole; what is left of the request has no reader.
          if (!isSent) stream?.reset(resetCodes.noError);
        },
        onReset: (error) => {
          finish();
          const failure = toConnectError(error);
          reader.fail(failure);
          reject(failure);
        },
        onWritable: () => writer.writable(),
      });
    } catch (thrown) {
      return reject(toConnectError(thrown));
    }
    let isSent = false;
    const opened = stream;
    reader.attach(opened);
    signal?.addEventListener("abort", abort, { once: true });
    if (request.body === undefined) sent();
    else writer.pump(request.body, opened).then((isWhole) => isWhole && sent(), broken);

    function sent(): void {
      isSent = true;
      opened.end();
    }

    function broken(thrown: unknown): void {
      finish();
      opened.reset(resetCodes.cancelled);
      reader.fail(thrown);
      reject(thrown);
    }

    function abort(): void {
      broken(signal?.reason);
    }

    function finish(): void {
      writer.stop();
      signal?.removeEventListener("abort", abort);
    }
  });
}

function toOpen(request: UniversalClientRequest, headTimeoutMs: number): Parameters<Link["openStream"]>[0] {
  const timeoutMs = Number(request.header.get("connect-timeout-ms") ?? Number.NaN);
  return {
    target: "rpc",
    method: request.method,
    path: request.url.slice(baseUrl.length),
    headers: toRawHeaders(request.header),
    upgrade: false,
    requestId: request.header.get("x-request-id") ?? createId("req"),
    deadlineMs: timeoutMs > 0 ? Math.min(timeoutMs, maxDeadlineMs) : headTimeoutMs,
  };
}

const maxDeadlineMs = 86_400_000;
