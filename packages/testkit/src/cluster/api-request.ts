import { Agent, request } from "node:https";
import { testkitErrors } from "../errors.ts";

export interface ApiRequest {
  readonly method?: string;
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept?: string;
  readonly timeoutMs?: number;
}

export interface ApiResponse {
  readonly status: number;
  readonly text: string;
}

export interface ApiClient extends Disposable {
  /** Any answer at all resolves; only a broken connection or the timeout rejects. */
  send(options: ApiRequest): Promise<ApiResponse>;
  /** The parsed body of a 2xx answer; anything else is TESTKIT_REQUEST_FAILED. */
  json<T>(options: ApiRequest): Promise<T>;
}

export function createApiClient(options: { url: string; caPem: string; token: string }): ApiClient {
  const { url, caPem, token } = options;
  const agent = new Agent({ keepAlive: true, ca: caPem });
  const send = (call: ApiRequest) => sendRequest({ ...call, url, token, agent });
  return {
    send,
    async json<T>(call: ApiRequest): Promise<T> {
      const { status, text } = await send(call);
      if (status >= 200 && status <= 299) return JSON.parse(text) as T;
      const request = `${call.method ?? "GET"} ${call.path}`;
      throw testkitErrors.TESTKIT_REQUEST_FAILED({ request, status, body: text.slice(0, 2000) });
    },
    [Symbol.dispose]: () => agent.destroy(),
  };
}

function sendRequest(options: ApiRequest & { url: string; token: string; agent: Agent }): Promise<ApiResponse> {
  const { method = "GET", path, body, contentType = json, accept = json, timeoutMs = 30_000 } = options;
  const payload = body === undefined ? undefined : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const call = request(
      new URL(path, options.url),
      {
        method,
        agent: options.agent,
        signal: AbortSignal.timeout(timeoutMs),
        headers: {
          authorization: `Bearer ${options.token}`,
          accept,
          ...(payload !== undefined && { "content-type": contentType }),
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.once("error", reject);
        response.once("end", () =>
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString("utf8") }),
        );
      },
    );
    call.once("error", reject);
    call.end(payload);
  });
}

const json = "application/json";
