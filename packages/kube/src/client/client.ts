import { isFairleadError, onAbort, parseExactJson } from "@fairlead/kernel";
import type { Dispatcher } from "undici";
import type { ClusterAccess } from "../access/index.ts";
import { kubeErrors, kubeUnreachable, toKubeError } from "../errors/index.ts";
import { createKubePool, type KubePool } from "./pool.ts";

export interface KubeRequest {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path and query, such as `/api/v1/namespaces/kube-system`. */
  readonly path: string;
  readonly body?: unknown;
  /** `content-type` is JSON unless told (patches need their own). */
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
}

export interface KubeClient extends AsyncDisposable {
  readonly access: ClusterAccess;
  readonly pool: KubePool;
  /** As its answers are read; lists and watches are, too. */
  readonly numbers?: Numbers | undefined;
  /** Sends a JSON request. Every answer but a 2xx is thrown as a KUBE_* error. */
  request<T = unknown>(request: KubeRequest): Promise<T>;
}

/** With `exact`, whole numbers of more than 53 bits are raw numbers of the kernel: for who hands on what was read. */
export type Numbers = "rounded" | "exact";

export function createKubeClient(options: { access: ClusterAccess; pool?: KubePool; numbers?: Numbers }): KubeClient {
  const { access, numbers = "rounded" } = options;
  const pool = options.pool ?? createKubePool({ access });
  return {
    access,
    pool,
    numbers,
    async request<T>(request: KubeRequest): Promise<T> {
      const { timeoutMs = 30_000 } = request;
      const timeout = AbortSignal.timeout(timeoutMs);
      const signal = request.signal ? AbortSignal.any([request.signal, timeout]) : timeout;
      try {
        const answer = await exchange({ pool, request, signal });
        const body = parseBody({ access, numbers }, answer);
        if (answer.status >= 200 && answer.status < 300) return body as T;
        throw toKubeError({ httpStatus: answer.status, body, retryAfterSeconds: answer.retryAfterSeconds });
      } catch (error) {
        if (isFairleadError(error)) throw error;
        if (request.signal?.aborted) throw request.signal.reason;
        if (timeout.aborted) throw kubeErrors.KUBE_TIMEOUT({ server: access.server.host, timeoutMs });
        throw kubeUnreachable(access.server.host, error);
      }
    },
    async [Symbol.asyncDispose]() {
      if (!options.pool) await pool[Symbol.asyncDispose]();
    },
  };
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly retryAfterSeconds: number | undefined;
}

async function exchange(options: { pool: KubePool; request: KubeRequest; signal: AbortSignal }): Promise<Answer> {
  const { pool, request, signal } = options;
  const authorization = await pool.access.authorization();
  const headers = {
    accept: "application/json",
    ...(request.body !== undefined && { "content-type": "application/json" }),
    ...request.headers,
    ...(authorization !== undefined && { authorization }),
  };
  const body = request.body === undefined ? null : JSON.stringify(request.body);
  const path = pool.basePath + request.path;
  signal.throwIfAborted();
  let abort = (): void => undefined;
  const answer = new Promise<Answer>((resolve, reject) => {
    abort = () => reject(signal.reason);
    const collector = collectAnswer({ resolve, reject });
    const onRequestStart: Dispatcher.DispatchHandler["onRequestStart"] = (controller) => {
      abort = () => controller.abort(signal.reason);
      if (signal.aborted) abort();
    };
    pool.dispatch(
      { method: request.method ?? "GET", path, headers, body, reset: false },
      { ...collector, onRequestStart },
    );
  });
  using _listening = onAbort(signal, () => abort());
  return await answer;
}

function collectAnswer(settle: {
  resolve: (answer: Answer) => void;
  reject: (error: Error) => void;
}): Dispatcher.DispatchHandler {
  const chunks: Buffer[] = [];
  let status = 0;
  let sizeBytes = 0;
  let retryAfterSeconds: number | undefined;
  return {
    onResponseStart(_controller, statusCode, headers) {
      status = statusCode;
      retryAfterSeconds = readSeconds(headers["retry-after"]);
    },
    onResponseData(controller, chunk) {
      sizeBytes += chunk.length;
      if (sizeBytes > maxBodyBytes) controller.abort(new Error("the answer is larger than 64 MiB"));
      else chunks.push(chunk);
    },
    onResponseEnd() {
      settle.resolve({ status, text: Buffer.concat(chunks).toString("utf8"), retryAfterSeconds });
    },
    onResponseError(_controller, error) {
      settle.reject(error);
    },
  };
}

/** API servers give seconds, never a date. */
function readSeconds(header: string | string[] | undefined): number | undefined {
  return typeof header === "string" && /^\d{1,5}$/.test(header) ? Number(header) : undefined;
}

/** The JSON of an answer, as the client reads it. Throws a SyntaxError. */
export function parseJson(text: string, { numbers }: Pick<KubeClient, "numbers">): unknown {
  return numbers === "exact" ? parseExactJson(text) : JSON.parse(text);
}

function parseBody({ access, numbers }: Pick<KubeClient, "access" | "numbers">, answer: Answer): unknown {
  try {
    return answer.text === "" ? undefined : parseJson(answer.text, { numbers });
  } catch (error) {
    // Errors in plain text are usual (an API server that starts); an answer that should be an object isn't.
    if (answer.status >= 400) return undefined;
    if (answer.text === "ok") return answer.text;
    throw kubeErrors.KUBE_BAD_ANSWER({ server: access.server.host, cause: error });
  }
}

const maxBodyBytes = 64 * 1024 * 1024;
