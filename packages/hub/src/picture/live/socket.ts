// A client's socket: its subscriptions, and what ends it.
import {
  type LiveMessage,
  liveRequestSchema,
  liveSubprotocol,
  type ObjectSubscribeRequest,
  type RunSubscribeRequest,
} from "@fairlead/contract";
import { type Clock, type FairleadError, toFairleadError } from "@fairlead/kernel";
import type { RawData, ServerOptions, WebSocket } from "ws";
import { liveErrors } from "./errors.ts";

export interface OpenSubscription extends Disposable {
  addCredit(messages: number): void;
  resume(): void;
}

/** Where a subscription tells what it has to tell. */
export interface Subscriber {
  /** False: the socket is full; `resume` is called when it no longer is. */
  readonly canSend: () => boolean;
  readonly send: (text: string) => void;
  readonly inTurn: (read: () => Promise<void>) => Promise<void>;
  readonly onError: (error: FairleadError) => void;
  /** All is told. */
  readonly onOver: () => void;
  /** False: it was given up. */
  readonly isWanted: () => boolean;
}

export type SubscribeRequest = ObjectSubscribeRequest | RunSubscribeRequest;

export type Subscribe<Request = SubscribeRequest> = (request: Request, to: Subscriber) => Promise<OpenSubscription>;

export interface LiveSocket {
  /** Ends every subscription with the error, and the connection. */
  end(error: FairleadError): void;
  readonly closed: Promise<void>;
  /** Ends one subscription. */
  fail(id: string, error: FairleadError): void;
}

/** What a client may send at once. */
export const liveSocketOptions: ServerOptions = {
  maxPayload: 64 * 1024,
  // Each costs more than the byte that it may have.
  maxFragments: 64,
  maxBufferedChunks: 1_024,
  perMessageDeflate: false,
  // The one that carries a token is never said back.
  handleProtocols: (offered) => (offered.has(liveSubprotocol) ? liveSubprotocol : false),
};

export function serveSocket(options: {
  readonly webSocket: WebSocket;
  readonly subscribe: Subscribe;
  readonly clock: Clock;
}): LiveSocket {
  const { webSocket, subscribe, clock } = options;
  const subscriptions = new Map<string, Slot>();
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  let isAlive = true;
  let cancelPing = clock.after(pingEveryMs, ping);
  let cancelRoom = (): void => undefined;
  let isWaitingForRoom = false;
  let lastRead = Promise.resolve();

  webSocket.on("message", (data, isBinary) => receive(data, isBinary));
  webSocket.on("pong", () => {
    isAlive = true;
  });
  webSocket.on("error", () => webSocket.terminate());
  webSocket.once("close", () => {
    cancelPing();
    cancelRoom();
    for (const slot of subscriptions.values()) slot.open?.[Symbol.dispose]();
    subscriptions.clear();
    resolve();
  });
  return { end, closed, fail };

  function receive(data: RawData, isBinary: boolean): void {
    const parsed = isBinary ? undefined : liveRequestSchema.safeParse(readJson(data));
    if (!parsed?.success) {
      end(liveErrors.LIVE_REQUEST_INVALID({ problem: "a message is invalid" }));
      return;
    }
    const request = parsed.data;
    switch (request.type) {
      case "subscribe":
      case "follow-run":
      case "follow-runs":
        begin(request);
        break;
      case "credit":
        addCredit(request.id, request.add);
        break;
      case "unsubscribe":
        forget(request.id);
        break;
    }
  }

  function begin(request: SubscribeRequest): void {
    const { id } = request;
    if (subscriptions.has(id)) {
      end(liveErrors.LIVE_REQUEST_INVALID({ problem: `the id ${JSON.stringify(id)} is in use` }));
      return;
    }
    if (subscriptions.size >= maxSubscriptions) {
      fail(id, liveErrors.LIVE_TOO_MANY({ what: "subscriptions on this connection" }));
      return;
    }
    // The id may be given up, and used again, before the subscription is there.
    const slot: Slot = { open: undefined, earlyCredit: 0 };
    const isWanted = (): boolean => subscriptions.get(id) === slot;
    subscriptions.set(id, slot);
    const onError = (error: FairleadError): void => {
      if (isWanted()) fail(id, error);
    };
    const onOver = (): void => {
      if (isWanted()) forget(id);
    };
    subscribe(request, { canSend, send, inTurn, onError, onOver, isWanted }).then(
      (subscription) => {
        if (!isWanted()) return subscription[Symbol.dispose]();
        slot.open = subscription;
        subscription.addCredit(slot.earlyCredit);
      },
      (thrown: unknown) => onError(toFairleadError(thrown)),
    );
  }

  function addCredit(id: string, messages: number): void {
    const slot = subscriptions.get(id);
    if (slot?.open) slot.open.addCredit(messages);
    else if (slot) slot.earlyCredit += messages;
  }

  function forget(id: string): void {
    subscriptions.get(id)?.open?.[Symbol.dispose]();
    subscriptions.delete(id);
  }

  function fail(id: string, { code, message }: FairleadError): void {
    forget(id);
    const text: LiveMessage = { type: "error", id, code, message };
    // Who asks for ever and reads no answer is let go.
    if (webSocket.bufferedAmount > mostUnreadBytes) return void webSocket.terminate();
    send(JSON.stringify(text));
  }

  function end(error: FairleadError): void {
    for (const id of [...subscriptions.keys()]) fail(id, error);
    webSocket.close(closeCodes[error.httpStatus] ?? 1011, error.code);
    // A client that doesn't answer the close isn't waited for.
    clock.after(closeMs, () => webSocket.terminate());
  }

  function send(text: string): void {
    if (webSocket.readyState === webSocket.OPEN) webSocket.send(text);
  }

  function inTurn(read: () => Promise<void>): Promise<void> {
    const done = lastRead.then(read);
    lastRead = done.catch(() => undefined);
    return done;
  }

  function canSend(): boolean {
    const hasRoom = webSocket.readyState === webSocket.OPEN && webSocket.bufferedAmount < maxBufferedBytes;
    if (!hasRoom) waitForRoom();
    return hasRoom;
  }

  /** `ws` doesn't say when its buffer is empty again. */
  function waitForRoom(): void {
    if (isWaitingForRoom || webSocket.readyState !== webSocket.OPEN) return;
    isWaitingForRoom = true;
    cancelRoom = clock.after(roomEveryMs, () => {
      isWaitingForRoom = false;
      if (webSocket.bufferedAmount >= maxBufferedBytes) waitForRoom();
      else for (const { open } of subscriptions.values()) open?.resume();
    });
  }

  function ping(): void {
    if (!isAlive) {
      webSocket.terminate();
      return;
    }
    isAlive = false;
    webSocket.ping();
    cancelPing = clock.after(pingEveryMs, ping);
  }
}

interface Slot {
  /** Undefined until it is there. */
  open: OpenSubscription | undefined;
  /** Given before that. */
  earlyCredit: number;
}

function readJson(data: RawData): unknown {
  try {
    return JSON.parse(String(data));
  } catch {
    return undefined;
  }
}

const closeCodes: Readonly<Record<number, number>> = { 400: 1008, 401: 4401, 403: 4403, 429: 4429, 503: 1013 };
const maxSubscriptions = 64;
const maxBufferedBytes = 256 * 1024;
const mostUnreadBytes = 4 * 1024 * 1024;
const roomEveryMs = 50;
const pingEveryMs = 25_000;
const closeMs = 2_000;
