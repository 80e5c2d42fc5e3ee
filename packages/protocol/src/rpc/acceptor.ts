import { Code, ConnectError, type ConnectRouter, createConnectRouter } from "@connectrpc/connect";
import type { UniversalHandler, UniversalServerResponse } from "@connectrpc/connect/protocol";
import { type LinkStream, resetCodes, type StreamAcceptor, type StreamHandlers, unheard } from "../link/index.ts";
import { BodyReader, BodyWriter } from "./body.ts";
import { rpcErrors } from "./errors.ts";
import { fromRawHeaders, toRawHeaders } from "./headers.ts";
import { baseUrl, maxMessageBytes } from "./transport.ts";

export interface RpcAcceptorOptions {
  /** Registers services. Each link has an acceptor of its own, so that implementations know who calls. */
  readonly routes: (router: ConnectRouter) => void;
}

/** Serves typed calls that the other side of a link makes: for streams with the target `rpc`. */
export function createRpcAcceptor(options: RpcAcceptorOptions): StreamAcceptor {
  return (stream) => {
    // A call with neither an answer nor an end by then won't get any.
    stream.endWithin(callMs);
    if (stream.open.target !== "rpc") throw rpcErrors.LINK_TARGET_NOT_SERVED({ target: stream.open.target });
    const [path = ""] = stream.open.path.split("?", 1);
    // Made anew for each call: calls are few and long, links are many, and a router costs 10 KiB.
    const handler = createHandlers(options.routes).get(path);
    return handler ? serve(stream, handler) : answerNotFound(stream);
  };
}

function createHandlers(routes: RpcAcceptorOptions["routes"]): ReadonlyMap<string, UniversalHandler> {
  const router = createConnectRouter({
    grpc: false,
    grpcWeb: false,
    acceptCompression: [],
    readMaxBytes: maxMessageBytes,
    writeMaxBytes: maxMessageBytes,
  });
  routes(router);
  return new Map(router.handlers.map((handler) => [handler.requestPath, handler]));
}

function serve(stream: LinkStream, handler: UniversalHandler): StreamHandlers {
  const { method, path, headers } = stream.open;
  const controller = new AbortController();
  const isUnary = handler.method.methodKind === "unary";
  // A call that streams may be quiet for a while, and go on for as long as it likes.
  const reader = new BodyReader({ onAbandoned() {}, ...(isUnary ? {} : { silenceMs: longestSilenceMs }) });
  if (!isUnary) stream.endWithin(undefined);
  const writer = new BodyWriter();
  reader.attach(stream);
  const request = {
    // Streaming both ways at once is what Connect calls HTTP/2.
    httpVersion: "2",
    url: baseUrl + path,
    method,
    header: fromRawHeaders(headers),
    body: reader,
    signal: controller.signal,
  };
  handler(request)
    .then((response) => answer(stream, writer, response))
    .catch(() => stream.reset(resetCodes.internal, "the call failed"))
    // Bytes that the implementation left unread must not hold the caller up, nor the caller the answer.
    .finally(() => {
      reader.abandon();
      stream.endWithin(callMs);
    });
  return {
    onData: (chunk) => reader.push(chunk),
    onEnd: () => reader.end(),
    onReset: (error) => {
      const reason = new ConnectError(error.message, Code.Canceled, undefined, undefined, error);
      writer.stop();
      reader.fail(reason);
      controller.abort(reason);
    },
    onWritable: () => writer.writable(),
  };
}

async function answer(stream: LinkStream, writer: BodyWriter, response: UniversalServerResponse): Promise<void> {
  stream.respond({ status: response.status, headers: toRawHeaders(response.header) });
  const isWhole = response.body === undefined || (await writer.pump(response.body, stream));
  if (isWhole) stream.end(toRawHeaders(response.trailer));
}

function answerNotFound(stream: LinkStream): StreamHandlers {
  stream.respond({ status: 404, headers: [] });
  stream.end();
  return unheard(stream);
}

/** For a call with one message each way, and for the last words of any other. */
const callMs = 30_000;
const longestSilenceMs = 120_000;
