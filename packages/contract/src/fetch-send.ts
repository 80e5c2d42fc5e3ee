// Sends calls over `fetch`, which is a port: the CLI brings one that trusts only the hub's CA, a browser brings its own.
import { createId, isFairleadError } from "@fairlead/kernel";
import { answerInvalid, hubAnswered, hubUnreachable, parseJson } from "./hub-error.ts";
import type { Call, Send, SendForBytes } from "./send.ts";

/** The part of `fetch` that is used here; the global one fits. */
export type HubFetch = (url: string, init: HubFetchInit) => Promise<HubFetchAnswer>;

export interface HubFetchInit {
  method: string;
  headers: Record<string, string>;
  body?: string;
  signal?: AbortSignal;
  /** The answer is wanted as soon as its head is there: its body may never end. */
  stream?: boolean;
}

export interface HubFetchAnswer {
  readonly status: number;
  /** Needed when `stream` was asked for. */
  readonly body?: AsyncIterable<Uint8Array> | null | undefined;
  text(): Promise<string>;
}

export interface HubClientOptions {
  /** Where people reach the hub, such as `https://hub.example.com:8443`. */
  readonly baseUrl: string;
  /** The bearer token; without it only what needs no sign-in works. */
  readonly token?: string | undefined;
  readonly fetch?: HubFetch | undefined;
}

export function createSend(options: HubClientOptions): Send {
  const { baseUrl, port } = readOptions(options);

  return async (call) => {
    const requestId = createId("req");
    const answer = await reach(baseUrl, call.signal, async () => {
      const response = await port(`${baseUrl}${call.path}`, toInit(call, requestId, options.token));
      return { status: response.status, body: await response.text(), requestId };
    });
    if (answer.status < 200 || answer.status > 299) throw hubAnswered(answer);
    if (!call.answer) return undefined as never;

    const parsed = await call.answer.safeParse(parseJson(answer.body));
    if (!parsed.success) throw answerInvalid(`${call.method} ${call.path}`, requestId, parsed.error);
    return parsed.data;
  };
}

export function createSendForBytes(options: HubClientOptions): SendForBytes {
  const { baseUrl, port } = readOptions(options);

  return async function* (call) {
    const requestId = createId("req");
    const { signal } = call;
    const response = await reach(baseUrl, signal, () =>
      port(`${baseUrl}${call.path}`, { ...toInit(call, requestId, options.token), stream: true }),
    );
    if (response.status !== 200 || !response.body) {
      const body = await reach(baseUrl, signal, () => response.text());
      throw hubAnswered({ status: response.status, body, requestId });
    }
    const chunks = response.body[Symbol.asyncIterator]();
    try {
      for (;;) {
        const next = await reach(baseUrl, signal, () => chunks.next());
        if (next.done) return;
        yield next.value;
      }
    } finally {
      await chunks.return?.();
    }
  };
}

async function reach<T>(baseUrl: string, signal: AbortSignal | undefined, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (thrown) {
    if (signal?.aborted) throw signal.reason;
    throw isFairleadError(thrown) ? thrown : hubUnreachable(baseUrl, thrown);
  }
}

function readOptions(options: HubClientOptions): { readonly baseUrl: string; readonly port: HubFetch } {
  const port: HubFetch = options.fetch ?? ((url, init) => fetch(url, init));
  return { baseUrl: options.baseUrl.replace(/\/+$/, ""), port };
}

function toInit(call: Call<unknown>, requestId: string, token: string | undefined): HubFetchInit {
  const headers: Record<string, string> = { accept: "application/json", "x-request-id": requestId };
  if (token !== undefined) headers["authorization"] = `Bearer ${token}`;
  if (call.body !== undefined) headers["content-type"] = "application/json";
  return {
    method: call.method,
    headers,
    ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
    ...(call.signal === undefined ? {} : { signal: call.signal }),
  };
}
