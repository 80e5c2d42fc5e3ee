// The hub's live socket: JSON messages both ways over a WebSocket that trusts only the hub's CA.
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { Agent } from "node:https";
import { text } from "node:stream/consumers";
import {
  hubAnswered,
  hubUnreachable,
  type LiveMessage,
  type LiveRequest,
  livePath,
  liveSubprotocol,
  loadLiveMessageSchema,
} from "@fairlead/contract/client";
import { createId, isFairleadError, parseExactJson } from "@fairlead/kernel";
import type { WebSocket } from "ws";
import type { RequestTrace } from "../trace/index.ts";
import { explainTrust } from "./http.ts";

export interface LiveSocket extends Disposable {
  send(request: LiveRequest): void;
  /** In order. Ends by a retryable error when the connection does. */
  readonly messages: AsyncIterable<LiveMessage>;
}

export interface LiveSocketOptions {
  readonly hub: string;
  readonly ca?: string | undefined;
  readonly proxy: Record<string, string>;
  readonly token: string;
  readonly signal: AbortSignal;
  /** The hub says something every few seconds; longer than this without anything, and it counts as gone. */
  readonly silentMs?: number | undefined;
  readonly trace?: RequestTrace | undefined;
}

/** Fails with what the hub said, or that it can't be reached. */
export async function openLiveSocket(options: LiveSocketOptions): Promise<LiveSocket> {
  const { hub, ca, proxy, token, signal, silentMs = 20_000, trace } = options;
  signal.throwIfAborted();
  const requestId = createId("req");
  // Loaded now only: most commands don't need them.
  const [{ WebSocket }, schema] = await Promise.all([import("ws"), loadLiveMessageSchema()]);
  const url = new URL(livePath, hub);
  const headers = { authorization: `Bearer ${token}`, "x-request-id": requestId };
  const end = trace?.begin({ method: "GET", url, headers });
  const socket = new WebSocket(url.href.replace(/^http/, "ws"), liveSubprotocol, {
    agent: new Agent({ keepAlive: false, proxyEnv: proxy, ...(ca === undefined ? {} : { ca }) }),
    headers,
    handshakeTimeout: silentMs,
    perMessageDeflate: false,
    maxPayload: maxMessageBytes,
  });
  const live = listen(socket, { hub, signal, silentMs, schema });
  const opened = new Promise<void>((resolve, reject) => {
    socket.once("upgrade", ({ statusCode = 0, headers: answered }) => end?.({ status: statusCode, headers: answered }));
    socket.once("open", resolve);
    socket.once("unexpected-response", (_request, response) => {
      end?.({ status: response.statusCode ?? 0, headers: response.headers });
      void readRefusal(response, requestId).then(reject, reject);
    });
    socket.once("error", (thrown) => {
      // After an answer an error only says that it was one.
      end?.({ error: thrown });
      reject(explainTrust(url, thrown));
    });
    socket.once("close", () => reject(new Error("the connection closed before it was open")));
  });
  try {
    await opened;
    return live;
  } catch (thrown) {
    live[Symbol.dispose]();
    signal.throwIfAborted();
    throw isFairleadError(thrown) ? thrown : hubUnreachable(hub, thrown);
  }
}

const maxMessageBytes = 64 * 1024 * 1024;

async function readRefusal(response: IncomingMessage, requestId: string): Promise<Error> {
  return hubAnswered({ status: response.statusCode ?? 0, body: await text(response), requestId });
}

type MessageSchema = Awaited<ReturnType<typeof loadLiveMessageSchema>>;

interface ListenOptions {
  readonly hub: string;
  readonly signal: AbortSignal;
  readonly silentMs: number;
  readonly schema: MessageSchema;
}

function listen(socket: WebSocket, { hub, signal, silentMs, schema }: ListenOptions): LiveSocket {
  const waiting: LiveMessage[] = [];
  const arrivals = new EventTarget();
  let end: Error | undefined;
  const watchdog = setTimeout(() => close(new Error("it has gone silent")), silentMs);
  const abort = (): void => close(signal.reason);

  socket.on("error", (thrown) => close(thrown));
  socket.on("close", (code) => close(new Error(`it closed the live connection (${code})`)));
  socket.on("ping", () => watchdog.refresh());
  socket.on("message", (data) => {
    watchdog.refresh();
    const message = readMessage(String(data), schema);
    if (message) waiting.push(message);
    else close(new Error("it sent something that isn't a message of this version"));
    arrivals.dispatchEvent(new Event("arrival"));
  });
  signal.addEventListener("abort", abort, { once: true });
  return {
    send: (request) => socket.send(JSON.stringify(request), () => undefined),
    messages: { [Symbol.asyncIterator]: read },
    [Symbol.dispose]: () => close(new Error("nobody listens any more")),
  };

  async function* read(): AsyncGenerator<LiveMessage, never> {
    for (;;) {
      const message = waiting.shift();
      if (message) yield message;
      else if (end) throw signal.aborted ? signal.reason : hubUnreachable(hub, end);
      else await once(arrivals, "arrival");
    }
  }

  function close(reason: Error): void {
    end ??= reason;
    clearTimeout(watchdog);
    signal.removeEventListener("abort", abort);
    socket.terminate();
    arrivals.dispatchEvent(new Event("arrival"));
  }
}

function readMessage(data: string, schema: MessageSchema): LiveMessage | undefined {
  try {
    return schema.safeParse(parseExactJson(data)).data;
  } catch {
    return undefined;
  }
}
